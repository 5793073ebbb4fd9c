import { ormOptions } from './src/database/open-database.js';

/** For MikroORM's own command line; the server reads throughline.config.* instead. */
export default ormOptions(process.env.THROUGHLINE_DATABASE__URL ?? 'sqlite:./data/throughline.db');
