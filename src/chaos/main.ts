import '../require-node.js';

// Loaded after the guard has looked at Node: what this imports ends an older one without a word.
const { chaos } = await import('./run-chaos.js');

process.exitCode = await chaos(process.argv.slice(2));
