import type { LoadedConfig } from '../../config/config.js';
import { didYouMean } from '../../config/near.js';
import { configurationOf, localUrl } from '../configuration.js';
import type { RequestToSign } from '../signing/request.js';
import { isSigningProvider, SIGNING_PROVIDERS, type SignedRequest, signedRequest } from '../signing/signed-request.js';
import { signWebhook, webhookSender } from '../signing/webhook.js';
import type { Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

export interface Destination {
  readonly url: string;
  readonly provider: string;
  sign(request: Omit<RequestToSign, 'secret'>): SignedRequest;
}

export interface DestinationOptions {
  readonly config?: string;
  readonly secret?: string;
  readonly provider?: string;
  /** Name of a scheme: it is a webhook of a sender without a plugin. */
  readonly signature?: string;
  readonly url?: string;
}

const WEBHOOK = 'webhook';
const PROVIDERS = [...SIGNING_PROVIDERS, WEBHOOK];

/** Where to send and how to sign: what the options do not say is read from the configuration. */
export async function destinationOf(source: string, options: DestinationOptions, terminal: Terminal): Promise<Destination> {
  const [org, name, ...rest] = source.split('/');
  if (!org || !name || rest.length > 0) throw new UsageFault(`\`${source}\` is no <org>/<source>; for example default/github`);
  const { secret, signature, url } = options;
  const provider = options.provider ?? (signature === undefined ? undefined : WEBHOOK);
  // With all of it said, a server elsewhere can be sent to without its configuration.
  const isComplete = secret !== undefined && provider !== undefined && url !== undefined;
  const configured = isComplete
    ? null
    : configuredConnection(await configurationOf(terminal, options), { org, name }, { provider, secret });
  const address = endpointOf(url ?? configured?.url ?? '', org, name);
  const signer = {
    ...{ provider: providerNamed(provider ?? configured?.plugin ?? ''), secret: secretOf(secret ?? configured?.secret, name) },
    ...{ options: { ...configured?.options, ...(signature !== undefined && { signature }) }, isGiven: secret !== undefined },
    url: configured?.publicUrl ? endpointOf(configured.publicUrl, org, name) : address,
  };
  return { url: address, provider: signer.provider, sign: signerOf(signer) };
}

interface Signer {
  readonly provider: string;
  readonly secret: string;
  /** The secret was said, and is not that of the configuration. */
  readonly isGiven: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** As the server knows itself. */
  readonly url: string;
}

function signerOf({ provider, secret, isGiven, options, url }: Signer): Destination['sign'] {
  if (isSigningProvider(provider)) return (request) => signedRequest(provider, { ...request, secret });
  const sender = webhookSender(options);
  if (sender.scheme.algorithm === 'ed25519' && !isGiven)
    throw new UsageFault('the configuration has the public key of this sender alone; say its private key with --secret');
  return (request) => signWebhook(sender, { ...request, secret }, url);
}

interface Configured {
  readonly url: string;
  readonly publicUrl: string | null;
  readonly plugin: string | undefined;
  readonly secret: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

function configuredConnection(
  { config, file }: LoadedConfig,
  { org, name }: { org: string; name: string },
  said: { readonly provider: string | undefined; readonly secret: string | undefined },
): Configured {
  const connection = config.connections.find((each) => each.org === org && each.name === name);
  if (connection === undefined && (said.provider === undefined || said.secret === undefined)) {
    const known = config.connections.map((each) => `${each.org}/${each.name}`);
    const help = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}${didYouMean(`${org}/${name}`, known)}`;
    throw new UsageFault(
      `there is no connection ${org}/${name} in ${file ?? 'the configuration'} (or say --provider or --signature, and --secret); ${help}`,
    );
  }
  const { server } = config;
  const { plugin, secrets, options } = connection ?? { plugin: undefined, secrets: [], options: {} };
  return { url: localUrl(server), publicUrl: server.publicUrl, plugin, secret: secrets[0], options };
}

function providerNamed(name: string): string {
  if (PROVIDERS.includes(name)) return name;
  throw new UsageFault(`send signs as ${PROVIDERS.join(', ')} do, not as \`${name}\`${didYouMean(name, PROVIDERS)}`);
}

function secretOf(secret: string | undefined, name: string): string {
  if (secret) return secret;
  throw new UsageFault(`connections.${name}.secret is not set, so there is nothing to sign with; set it, or say --secret`);
}

function endpointOf(url: string, org: string, name: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageFault(`--url: \`${url}\` is no http or https address; for example http://127.0.0.1:8787`);
  }
  return `${url.replace(/\/+$/, '')}/v1/events/${encodeURIComponent(org)}/${encodeURIComponent(name)}`;
}
