/** Fields of one object that are looked at; sorting more of them would take longer than any reader would. */
const MAX_FIELDS = 2_000;

export interface BoundedJson {
  readonly text: string;
  /** True: the value goes on; the text is then no longer valid JSON. */
  readonly cut: boolean;
}

/** Indented JSON with sorted names, of at most `maxBytes` bytes; the work is bounded by that too, not by the size of the value. */
export function boundedJson(value: unknown, maxBytes: number): BoundedJson {
  const writer = new BoundedWriter(maxBytes);
  const complete = write(value, '\n', writer);
  return { text: writer.text, cut: !complete };
}

class BoundedWriter {
  text = '';

  constructor(public left: number) {}

  /** False once there is no more room. */
  add(piece: string): boolean {
    const bytes = Buffer.byteLength(piece);
    const fits = bytes <= this.left;
    this.text += fits
      ? piece
      : Buffer.from(piece)
          .subarray(0, this.left)
          .toString()
          .replace(/\uFFFD$/, '');
    this.left -= Math.min(bytes, this.left);
    return fits;
  }
}

function write(value: unknown, lineBreak: string, writer: BoundedWriter): boolean {
  if (typeof value === 'string') return writeText(value, writer);
  if (typeof value !== 'object' || value === null) return writer.add(JSON.stringify(value) ?? 'null');
  if (Array.isArray(value)) return writeAll('[', value, ']', lineBreak, writer, (element, inner) => write(element, inner, writer));
  const names = Object.keys(value);
  const shown = names.slice(0, MAX_FIELDS).sort();
  const fields = value as Readonly<Record<string, unknown>>;
  const whole = writeAll(
    '{',
    shown,
    '}',
    lineBreak,
    writer,
    (name, inner) => writeText(name, writer) && writer.add(': ') && write(fields[name], inner, writer),
  );
  return whole && shown.length === names.length;
}

function writeAll<T>(
  open: string,
  elements: readonly T[],
  close: string,
  lineBreak: string,
  writer: BoundedWriter,
  writeOne: (element: T, inner: string) => boolean,
): boolean {
  if (elements.length === 0) return writer.add(open + close);
  const inner = `${lineBreak}  `;
  const whole =
    writer.add(open) && elements.every((element, index) => writer.add(index === 0 ? inner : `,${inner}`) && writeOne(element, inner));
  return whole && writer.add(lineBreak + close);
}

function writeText(text: string, writer: BoundedWriter): boolean {
  const fits = text.length <= writer.left;
  return writer.add(JSON.stringify(fits ? text : text.slice(0, writer.left))) && fits;
}
