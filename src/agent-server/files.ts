import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInput, NotFound } from '../plugin/errors.js';

/** Writes the one file of a multipart form. */
export async function upload(
  target: string | undefined,
  form: { readonly body: Buffer; readonly contentType: string | undefined },
): Promise<void> {
  const file = absolute(target);
  const read = new Response(form.body, { headers: { 'content-type': form.contentType ?? '' } });
  const fields = await read.formData().catch(() => null);
  const content = fields?.get('file');
  if (!(content instanceof Blob)) throw new InvalidInput('the body must be a multipart form with a field `file`');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, Buffer.from(await content.arrayBuffer()));
}

/** Throws `NotFound` where there is no such file. */
export async function download(target: string | undefined): Promise<ReadStream> {
  const file = absolute(target);
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw new NotFound(`there is no file ${file}`);
  return createReadStream(file);
}

function absolute(target: string | undefined): string {
  if (target === undefined || !path.isAbsolute(target)) throw new InvalidInput('path must be absolute');
  return path.normalize(target);
}
