import { type Fault, InvalidInput } from '../errors.js';
import type { SignatureAlgorithm, SignatureScheme } from '../signature.js';
import { ParameterReader } from './parameter-reader.js';
import { isPresetName, presets } from './presets.js';

const ALGORITHMS = [
  'hmac-sha256',
  'hmac-sha1',
  'hmac-sha512',
  'ed25519',
  'token',
  'basic',
] as const satisfies readonly SignatureAlgorithm[];

/** Signature schemes as people write them: a preset's name, or an object of the verifier's parameters. Throws `InvalidInput` with every fault. */
export function schemeFrom(value: unknown, path = 'signature', header?: string): SignatureScheme {
  const scheme = typeof value === 'string' ? presetNamed(value, path) : schemeFromParameters(value, path);
  return header === undefined ? scheme : { ...scheme, signature: { ...scheme.signature, header: header.toLowerCase() } };
}

function presetNamed(name: string, path: string): SignatureScheme {
  if (isPresetName(name)) return presets[name];
  const message = `"${name}" is no signature preset; use one of ${Object.keys(presets).sort().join(', ')}, or an object of parameters`;
  throw new InvalidInput(`${path}: ${message}`, [{ path, message }]);
}

function schemeFromParameters(value: unknown, path: string): SignatureScheme {
  const faults: Fault[] = [];
  const top = new ParameterReader(value, path, faults);
  const algorithm = top.choice('algorithm', ALGORITHMS) ?? 'hmac-sha256';
  const secretEncoding = top.choice('secretEncoding', ['utf8', 'hex', 'base64']);
  const secretPrefix = top.text('secretPrefix');
  const content = top.text('content');
  const id = top.group('id');
  const timestamp = timestampOf(top.group('timestamp'));
  const scheme: SignatureScheme = {
    algorithm,
    signature: signatureOf(top, algorithm),
    ...((secretEncoding ?? secretPrefix) && {
      secret: { encoding: secretEncoding ?? 'utf8', ...(secretPrefix && { prefix: secretPrefix }) },
    }),
    ...(timestamp && { timestamp }),
    ...(id && { id: { header: id.header('header', 'required') } }),
    ...(content && { content }),
  };
  id?.finish();
  top.finish();
  faults.push(...contradictions(scheme, path));
  if (faults.length > 0)
    throw new InvalidInput(`${path} is no signature scheme: ${faults.map((fault) => `${fault.path} ${fault.message}`).join('; ')}`, faults);
  return scheme;
}

function signatureOf(top: ParameterReader, algorithm: SignatureAlgorithm): SignatureScheme['signature'] {
  const group = top.group('signature', 'required');
  if (!group) return { header: '' };
  const prefix = group.text('prefix');
  const prefixOptional = group.flag('prefixOptional');
  const encoding = group.choice('encoding', ['hex', 'base64']);
  const list = group.choice('list', [' ', ',']);
  const separator = group.choice('pairs', [',', ';']);
  const key = group.text('key', separator ? 'required' : 'optional');
  const header = algorithm === 'basic' ? group.header('header') || 'authorization' : group.header('header', 'required');
  group.finish();
  return {
    header,
    ...(prefix && { prefix }),
    ...(prefixOptional && { prefixOptional }),
    ...(encoding && { encoding }),
    ...(list && { list }),
    ...(separator && { pairs: { separator, key: key ?? '' } }),
  };
}

function timestampOf(group: ParameterReader | null): SignatureScheme['timestamp'] {
  if (!group) return undefined;
  const header = group.header('header');
  const pair = group.text('pair');
  const body = group.text('bodyPath');
  const unit = group.choice('unit', ['s', 'ms']) ?? 's';
  const toleranceSeconds = group.positive('tolerance') ?? 300;
  if ([header, pair, body].filter(Boolean).length !== 1) group.fault('', 'must name exactly one of header, pair and bodyPath');
  group.finish();
  return { from: header ? { header } : pair ? { pair } : { body: body ?? '' }, unit, toleranceSeconds };
}

/** Parameters that are right one by one and can never verify anything together, or verify nothing that matters. */
function* contradictions({ algorithm, content, timestamp, id, signature }: SignatureScheme, path: string): Generator<Fault> {
  const signs = algorithm !== 'token' && algorithm !== 'basic';
  if (!signs && content) yield { path: `${path}.content`, message: `has no meaning for ${algorithm}, which signs nothing` };
  if (!signs && timestamp) yield { path: `${path}.timestamp`, message: `has no meaning for ${algorithm}, which signs nothing` };
  if (content && !content.includes('{body}'))
    yield { path: `${path}.content`, message: 'must contain {body}, or anybody could change the body' };
  if (content?.includes('{id}') && !id) yield { path: `${path}.id`, message: 'is needed, since content contains {id}' };
  const inBody = timestamp && 'body' in timestamp.from;
  const inHead = timestamp && !inBody;
  if (content?.includes('{timestamp}') && !inHead)
    yield { path: `${path}.timestamp`, message: 'must name a header or pair, since content contains {timestamp}' };
  if (signs && inHead && !content?.includes('{timestamp}'))
    yield { path: `${path}.content`, message: 'must contain {timestamp}, or the timestamp is not signed' };
  if (timestamp && 'pair' in timestamp.from && !signature.pairs) yield { path: `${path}.timestamp.pair`, message: 'needs signature.pairs' };
}
