import './require-node.js';
import module from 'node:module';

// Half of a start is compiling; what was compiled once is kept in the system's temporary folder.
module.enableCompileCache();
const { runServer } = await import('./run-server.js');
process.exitCode = await runServer({ cwd: process.cwd(), env: process.env });
