import type { LoadedConfig } from '../../config/config.js';
import { didYouMean } from '../../config/near.js';
import { configurationOf, localUrl } from '../configuration.js';
import { isSigningProvider, SIGNING_PROVIDERS, type SigningProvider } from '../signing/signed-request.js';
import type { Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

export interface Destination {
  readonly url: string;
  readonly provider: SigningProvider;
  readonly secret: string;
}

export interface DestinationOptions {
  readonly config?: string;
  readonly secret?: string;
  readonly provider?: string;
  readonly url?: string;
}

/** Where to send and how to sign: what the options do not say is read from the configuration. */
export async function destinationOf(source: string, options: DestinationOptions, terminal: Terminal): Promise<Destination> {
  const [org, name, ...rest] = source.split('/');
  if (!org || !name || rest.length > 0) throw new UsageFault(`\`${source}\` is no <org>/<source>; for example default/github`);
  const { secret, provider, url } = options;
  // With all of it said, a server elsewhere can be sent to without its configuration.
  const isComplete = secret !== undefined && provider !== undefined && url !== undefined;
  const configured = isComplete ? null : configuredConnection(await configurationOf(terminal, options), { org, name }, options);
  return {
    url: endpointOf(url ?? configured?.url ?? '', org, name),
    provider: providerNamed(provider ?? configured?.plugin ?? ''),
    secret: secretOf(secret ?? configured?.secret, name),
  };
}

interface Configured {
  readonly url: string;
  readonly plugin: string | undefined;
  readonly secret: string | undefined;
}

function configuredConnection(
  { config, file }: LoadedConfig,
  { org, name }: { org: string; name: string },
  options: DestinationOptions,
): Configured {
  const connection = config.connections.find((each) => each.org === org && each.name === name);
  if (connection === undefined && (options.provider === undefined || options.secret === undefined)) {
    const known = config.connections.map((each) => `${each.org}/${each.name}`);
    const help = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}${didYouMean(`${org}/${name}`, known)}`;
    throw new UsageFault(
      `there is no connection ${org}/${name} in ${file ?? 'the configuration'} (or say --provider and --secret); ${help}`,
    );
  }
  return { url: localUrl(config.server), plugin: connection?.plugin, secret: connection?.secrets[0] };
}

function providerNamed(name: string): SigningProvider {
  if (isSigningProvider(name)) return name;
  throw new UsageFault(`send signs as ${SIGNING_PROVIDERS.join(', ')} do, not as \`${name}\`${didYouMean(name, SIGNING_PROVIDERS)}`);
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
