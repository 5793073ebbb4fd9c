import './require-node.js';

const { runServer } = await import('./run-server.js');
process.exitCode = await runServer({ cwd: process.cwd(), env: process.env });
