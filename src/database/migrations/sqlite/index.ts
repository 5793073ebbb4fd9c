import { Initial } from './0001-initial.js';

/** In the order in which they run; names are for ever. */
export const sqliteMigrations = [{ name: '0001-initial', class: Initial }];
