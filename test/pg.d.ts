declare module 'pg' {
  type Parser = (text: string) => unknown;
  interface Types {
    getTypeParser(oid: number): Parser;
  }
  export class Client {
    constructor(options: { connectionString: string; types?: Types });
    connect(): Promise<void>;
    query(sql: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>;
    end(): Promise<void>;
  }
  const pg: { Client: typeof Client; types: Types };
  export default pg;
}
