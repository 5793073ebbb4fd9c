// node host.mjs <peer> <journal> <database url>: a peer behind HTTP, with no more around it than it needs to be correct.
// node:http, not a framework: what the peers are compared with has one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { SECRET } from '../load/issue-comment.mjs';
import { echo, Recorder } from '../measure/recorder.mjs';

const [name, journal, url] = process.argv.slice(2);
const recorder = new Recorder(journal);
const { start } = await import(`./${name}.mjs`);
const peer = await start({ url, handle: (texts) => echo(recorder, texts), secret: SECRET });

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(request, Buffer.concat(chunks), response));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listens on http://127.0.0.1:${server.address().port}\n`));

process.once('SIGTERM', async () => {
  server.closeAllConnections();
  server.close();
  await Promise.race([peer.stop(), new Promise((resolve) => setTimeout(resolve, 5000))]);
  process.exit(0);
});

async function answer(request, body, response) {
  try {
    send(response, 200, await accept(request, body));
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    send(response, error.status ?? 500, { error: error.message });
  }
}

/** Resolves when the event is where the peer keeps its work. */
async function accept(request, body) {
  if (peer.acceptRequest) return peer.acceptRequest(request, body);
  verify(request.headers['x-hub-signature-256'] ?? '', body);
  const { issue, repository, comment } = JSON.parse(body.toString());
  const duplicate = await peer.accept({
    deliveryId: request.headers['x-github-delivery'],
    subject: `${repository.id}#${issue.number}`,
    text: comment.body,
    body: body.toString(),
  });
  return { received: true, duplicate };
}

function verify(given, body) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  const actual = Buffer.from(given);
  if (actual.length === expected.length && timingSafeEqual(actual, expected)) return;
  throw Object.assign(new Error('the signature is wrong'), { status: 401 });
}

function send(response, status, document) {
  const text = JSON.stringify(document);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}
