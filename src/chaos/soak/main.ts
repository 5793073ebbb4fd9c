import '../../require-node.js';

// Loaded after the guard has looked at Node: what this imports ends an older one without a word.
const { soak } = await import('./run-soak.js');

process.exitCode = await soak(process.argv.slice(2));
