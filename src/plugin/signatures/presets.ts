import type { SignatureScheme } from '../signature.js';

const FIVE_MINUTES = 300;

function hubSignature(header: string): SignatureScheme {
  return { algorithm: 'hmac-sha256', signature: { header, prefix: 'sha256=' } };
}

/** Slack's and Zoom's form: version, timestamp and body joined by colons. */
function versionZero(signature: string, timestamp: string): SignatureScheme {
  return {
    algorithm: 'hmac-sha256',
    signature: { header: signature, prefix: 'v0=' },
    timestamp: { from: { header: timestamp }, unit: 's', toleranceSeconds: FIVE_MINUTES },
    content: 'v0:{timestamp}:{body}',
  };
}

/** Stripe's form: timestamp and signatures as pairs of one header. */
function timedPairs(
  header: string,
  separator: ',' | ';',
  names: { timestamp: string; signature: string },
  content: string,
): SignatureScheme {
  return {
    algorithm: 'hmac-sha256',
    signature: { header, pairs: { separator, key: names.signature } },
    timestamp: { from: { pair: names.timestamp }, unit: 's', toleranceSeconds: FIVE_MINUTES },
    content,
  };
}

/** Standard Webhooks 1.0; Svix has the same under its own header names. */
function standardWebhooks(family: 'webhook' | 'svix', kind: 'symmetric' | 'asymmetric' = 'symmetric'): SignatureScheme {
  const symmetric = kind === 'symmetric';
  return {
    algorithm: symmetric ? 'hmac-sha256' : 'ed25519',
    secret: { encoding: 'base64', prefix: symmetric ? 'whsec_' : 'whpk_' },
    signature: { header: `${family}-signature`, prefix: symmetric ? 'v1,' : 'v1a,', encoding: 'base64', list: ' ' },
    timestamp: { from: { header: `${family}-timestamp` }, unit: 's', toleranceSeconds: FIVE_MINUTES },
    id: { header: `${family}-id` },
    content: '{id}.{timestamp}.{body}',
  };
}

const slack = versionZero('x-slack-signature', 'x-slack-request-timestamp');

const discord: SignatureScheme = {
  algorithm: 'ed25519',
  secret: { encoding: 'hex' },
  signature: { header: 'x-signature-ed25519', encoding: 'hex' },
  timestamp: { from: { header: 'x-signature-timestamp' }, unit: 's', toleranceSeconds: FIVE_MINUTES },
  content: '{timestamp}{body}',
};

/** The generic scheme: what a custom webhook has unless it says otherwise. */
const hmacSha256Hex: SignatureScheme = {
  algorithm: 'hmac-sha256',
  signature: { header: 'x-signature-256', prefix: 'sha256=', prefixOptional: true },
};

/** Every scheme that can be named. Those that do not belong to one provider take another header through `schemeFrom`. */
export const presets = {
  github: hubSignature('x-hub-signature-256'),
  slack,
  'slack-v0': slack,
  linear: {
    algorithm: 'hmac-sha256',
    signature: { header: 'linear-signature' },
    // The header `linear-timestamp` is not signed; the value in the body is.
    timestamp: { from: { body: 'webhookTimestamp' }, unit: 'ms', toleranceSeconds: 60 },
  },
  discord,
  'discord-ed25519': discord,
  'standard-webhooks': standardWebhooks('webhook'),
  'standard-webhooks-v1a': standardWebhooks('webhook', 'asymmetric'),
  svix: standardWebhooks('svix'),
  'gitlab-signing-token': standardWebhooks('webhook'),
  'gitlab-token': { algorithm: 'token', signature: { header: 'x-gitlab-token' } },
  stripe: timedPairs('stripe-signature', ',', { timestamp: 't', signature: 'v1' }, '{timestamp}.{body}'),
  paddle: timedPairs('paddle-signature', ';', { timestamp: 'ts', signature: 'h1' }, '{timestamp}:{body}'),
  elevenlabs: timedPairs('elevenlabs-signature', ',', { timestamp: 't', signature: 'v0' }, '{timestamp}.{body}'),
  zoom: versionZero('x-zm-signature', 'x-zm-request-timestamp'),
  shopify: { algorithm: 'hmac-sha256', signature: { header: 'x-shopify-hmac-sha256', encoding: 'base64' } },
  bitbucket: hubSignature('x-hub-signature'),
  jira: hubSignature('x-hub-signature'),
  // Its timestamp header is not signed, so it proves nothing and is not looked at.
  sentry: { algorithm: 'hmac-sha256', signature: { header: 'sentry-hook-signature' } },
  pagerduty: { algorithm: 'hmac-sha256', signature: { header: 'x-pagerduty-signature', prefix: 'v1=', list: ',' } },
  typeform: { algorithm: 'hmac-sha256', signature: { header: 'typeform-signature', prefix: 'sha256=', encoding: 'base64' } },
  square: { algorithm: 'hmac-sha256', signature: { header: 'x-square-hmacsha256-signature', encoding: 'base64' }, content: '{url}{body}' },
  'matrix-appservice': { algorithm: 'token', signature: { header: 'authorization', prefix: 'Bearer ' } },
  custom: hmacSha256Hex,
  'hmac-sha256-hex': hmacSha256Hex,
  'hmac-sha256-base64': {
    algorithm: 'hmac-sha256',
    signature: { header: 'x-signature-256', prefix: 'sha256=', prefixOptional: true, encoding: 'base64' },
  },
  'hmac-sha1-hex': { algorithm: 'hmac-sha1', signature: { header: 'x-signature', prefix: 'sha1=', prefixOptional: true } },
  'hmac-sha512-hex': { algorithm: 'hmac-sha512', signature: { header: 'x-signature-512', prefix: 'sha512=', prefixOptional: true } },
  token: { algorithm: 'token', signature: { header: 'x-webhook-token' } },
  basic: { algorithm: 'basic', signature: { header: 'authorization' } },
} satisfies Record<string, SignatureScheme>;

export type PresetName = keyof typeof presets;

export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(presets, name);
}
