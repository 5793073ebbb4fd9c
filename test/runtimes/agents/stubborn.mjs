// Ignores SIGTERM, starts a child that ignores it too and holds stdout open, and says both pids.
import { spawn } from 'node:child_process';

process.on('SIGTERM', () => {});
const child = spawn(
  process.execPath,
  ['-e', "process.on('SIGTERM', () => {}); console.log('ready ' + process.pid); setInterval(() => {}, 1000)"],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
child.stdout.once('data', (line) => {
  const pids = `${process.pid} ${String(line).split(' ')[1].trim()}`;
  process.stdout.write(`${JSON.stringify({ type: 'text', text: pids })}\n`);
});
setInterval(() => {}, 1000);
