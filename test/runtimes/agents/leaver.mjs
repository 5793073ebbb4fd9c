// Ends well at once, but leaves a child in its group that holds stdout open; argument `daemon`: outside its group.
import { spawn } from 'node:child_process';

const detached = process.argv[2] === 'daemon';
const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { detached, stdio: ['ignore', 'inherit', 'ignore'] });
process.stdout.write(`${JSON.stringify({ type: 'text', text: String(child.pid) })}\n`);
child.unref();
