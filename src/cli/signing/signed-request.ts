import { signGithub } from './github.js';
import { signLinear } from './linear.js';
import type { RequestToSign, SignedRequest } from './request.js';
import { signSlack } from './slack.js';

const SIGNERS = { github: signGithub, linear: signLinear, slack: signSlack } as const satisfies Record<
  string,
  (request: RequestToSign) => SignedRequest
>;

export type { RequestToSign, SignedRequest };

export type SigningProvider = keyof typeof SIGNERS;

export const SIGNING_PROVIDERS = Object.keys(SIGNERS) as readonly SigningProvider[];

export function isSigningProvider(name: string): name is SigningProvider {
  return Object.hasOwn(SIGNERS, name);
}

/** A request as the provider would send it: its headers, and where it signs its clock in the body, that body. */
export function signedRequest(provider: SigningProvider, request: RequestToSign): SignedRequest {
  return SIGNERS[provider](request);
}
