/** As much of IndexedDB as is needed to copy databases; Node has no types of it. */

export interface IdbRequest<Result> {
  readonly result: Result;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

export interface IdbOpening extends IdbRequest<IdbDatabase> {
  onupgradeneeded: (() => void) | null;
}

export interface IdbFactory {
  open(name: string, version?: number): IdbOpening;
  databases(): Promise<readonly { readonly name?: string; readonly version?: number }[]>;
  deleteDatabase(name: string): IdbRequest<unknown>;
}

export interface IdbDatabase {
  readonly version: number;
  readonly objectStoreNames: Iterable<string>;
  createObjectStore(name: string, options: { readonly keyPath: unknown; readonly autoIncrement: boolean }): IdbStore;
  transaction(stores: readonly string[], mode: 'readonly' | 'readwrite'): IdbTransaction;
  close(): void;
}

export interface IdbTransaction {
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
  objectStore(name: string): IdbStore;
}

export interface IdbIndex {
  readonly name: string;
  readonly keyPath: unknown;
  readonly unique: boolean;
  readonly multiEntry: boolean;
}

export interface IdbStore {
  readonly keyPath: unknown;
  readonly autoIncrement: boolean;
  readonly indexNames: Iterable<string>;
  index(name: string): IdbIndex;
  createIndex(name: string, keyPath: unknown, options: { readonly unique: boolean; readonly multiEntry: boolean }): unknown;
  getAll(): IdbRequest<readonly unknown[]>;
  getAllKeys(): IdbRequest<readonly unknown[]>;
  put(value: unknown, key?: unknown): IdbRequest<unknown>;
}

export function answered<Result>(request: IdbRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
