// Every entry point imports this first, and it imports nothing: on an older Node the database driver ends the process without a word.
const OLDEST_MAJOR = 22;
const OLDEST_MINOR = 17;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < OLDEST_MAJOR || (major === OLDEST_MAJOR && minor < OLDEST_MINOR)) {
  process.stderr.write(`throughline needs Node >= ${OLDEST_MAJOR}.${OLDEST_MINOR}, this is ${process.versions.node}\n`);
  process.exit(2);
}

export {};
