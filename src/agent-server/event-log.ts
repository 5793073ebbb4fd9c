import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';

/** One line of a log: what happened, or how the conversation stands from then on. */
export type Line = Readonly<Record<string, unknown>>;

/** Lines of JSON in a file, which only grows. What was appended is on the disk when the append resolves. */
export class EventLog {
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly handle: FileHandle,
    private length: number,
  ) {}

  /** With what stands in it. A line that a crash has cut off was never answered for, and is taken away. */
  static async open(file: string): Promise<{ log: EventLog; lines: Line[] }> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'a+', 0o600);
    const text = await handle.readFile('utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) await handle.truncate(Buffer.byteLength(whole));
    const lines = whole.split('\n').filter((line) => line !== '');
    return { log: new EventLog(handle, Buffer.byteLength(whole)), lines: lines.map((line) => JSON.parse(line) as Line) };
  }

  /** One after the other, each group with one write and one wait for the disk. What cannot be written whole is not written. */
  append(lines: readonly Line[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const written = this.last.then(() => this.write(text));
    this.last = written.catch(() => undefined);
    return written;
  }

  private async write(text: string): Promise<void> {
    try {
      await this.handle.appendFile(text);
      await this.handle.datasync();
      this.length += Buffer.byteLength(text);
    } catch (error) {
      // Half a line, as on a disk that is full, would make what follows it unreadable.
      await this.handle.truncate(this.length);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.last;
    await this.handle.close();
  }
}
