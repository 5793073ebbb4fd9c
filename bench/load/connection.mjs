// A kept connection that posts one request after another. As little as HTTP needs, so that the machine is left to the servers.
import { connect } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

export class Connection {
  #address;
  #socket = null;
  #received = Buffer.alloc(0);
  #answered = () => {};

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.#address = { host: hostname, port: Number(port), noDelay: true };
  }

  open() {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#address, () => resolve(undefined));
      socket.on('data', (data) => this.#take(data));
      socket.on('error', reject);
      socket.on('close', () => {
        if (this.#socket === socket) this.#socket = null;
        this.#answered(0);
      });
      this.#socket = socket;
    });
  }

  /** Resolves to the status, 0 where there was no answer. */
  async post(request) {
    // A server may close a connection that was idle for long.
    if (this.#socket === null) await this.open().catch(() => undefined);
    const socket = this.#socket;
    if (socket === null) return 0;
    return new Promise((resolve) => {
      this.#answered = resolve;
      socket.write(request);
    });
  }

  close() {
    this.#socket?.destroy();
  }

  #take(data) {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
    const end = this.#received.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) return this.close();
    if (this.#received.length < end + END_OF_HEAD.length + Number(length)) return;
    this.#received = Buffer.alloc(0);
    this.#answered(Number(head.slice(9, 12)));
  }
}
