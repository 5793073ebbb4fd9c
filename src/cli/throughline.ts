#!/usr/bin/env node
import '../require-node.js';

// Loaded after the guard has looked at Node: what these import ends an older one without a word.
const { processTerminal } = await import('./terminal.js');
const { program } = await import('./program.js');

process.exitCode = await program(process.argv.slice(2), processTerminal());
