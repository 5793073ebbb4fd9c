import '../require-node.js';

// Loaded after the guard has looked at Node: what this imports ends an older one without a word.
const { demo } = await import('./run-demo.js');

process.exitCode = await demo(process.argv.slice(2));
