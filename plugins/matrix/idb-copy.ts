import { answered, type IdbDatabase, type IdbFactory, type IdbIndex, type IdbStore } from './idb.js';

/** A database with all that is in it; holds only what a structured clone holds. */
export interface DatabaseCopy {
  /** Its name without the prefix. */
  readonly name: string;
  readonly version: number;
  readonly stores: readonly StoreCopy[];
}

interface StoreCopy {
  readonly name: string;
  readonly keyPath: unknown;
  readonly autoIncrement: boolean;
  readonly indexes: readonly IdbIndex[];
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
}

/** Copies every database whose name begins with the prefix. Nobody may write to them meanwhile. */
export async function copyOut(idb: IdbFactory, prefix: string): Promise<readonly DatabaseCopy[]> {
  const names = (await idb.databases()).map(({ name = '' }) => name).filter((name) => name.startsWith(prefix));
  return Promise.all(names.sort().map((name) => copyDatabase(idb, name, prefix)));
}

/** Makes the databases of a copy under another prefix. */
export async function copyIn(idb: IdbFactory, prefix: string, copies: readonly DatabaseCopy[]): Promise<void> {
  for (const copy of copies) {
    const opening = idb.open(prefix + copy.name, copy.version);
    opening.onupgradeneeded = () => {
      for (const store of copy.stores) makeStore(opening.result, store);
    };
    const database = await answered(opening);
    await fill(database, copy.stores);
    database.close();
  }
}

async function copyDatabase(idb: IdbFactory, name: string, prefix: string): Promise<DatabaseCopy> {
  const database = await answered(idb.open(name));
  const names = [...database.objectStoreNames];
  const transaction = names.length > 0 ? database.transaction(names, 'readonly') : null;
  const stores = await Promise.all(names.map((each) => copyStore(each, transaction?.objectStore(each))));
  const { version } = database;
  database.close();
  return { name: name.slice(prefix.length), version, stores: stores.filter((store) => store !== null) };
}

async function copyStore(name: string, store: IdbStore | undefined): Promise<StoreCopy | null> {
  if (store === undefined) return null;
  const indexes = [...store.indexNames].map((each) => {
    const { name: index, keyPath, unique, multiEntry } = store.index(each);
    return { name: index, keyPath, unique, multiEntry };
  });
  const { keyPath, autoIncrement } = store;
  const [keys, values] = await Promise.all([answered(store.getAllKeys()), answered(store.getAll())]);
  return { name, keyPath, autoIncrement, indexes, keys, values };
}

function makeStore(database: IdbDatabase, { name, keyPath, autoIncrement, indexes }: StoreCopy): void {
  const store = database.createObjectStore(name, { keyPath, autoIncrement });
  for (const { name: index, keyPath: path, ...rest } of indexes) store.createIndex(index, path, rest);
}

async function fill(database: IdbDatabase, stores: readonly StoreCopy[]): Promise<void> {
  if (stores.length === 0) return;
  const transaction = database.transaction(
    stores.map(({ name }) => name),
    'readwrite',
  );
  for (const { name, keyPath, keys, values } of stores) {
    const store = transaction.objectStore(name);
    // A store with a path has its keys within its values.
    for (const [index, value] of values.entries()) {
      if (keyPath === null) store.put(value, keys[index]);
      else store.put(value);
    }
  }
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
