import { createVerify, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { Answer, Call } from '../fault-server.js';

const APP_ID = 29310;
const TOKEN = 'ghp_test';

/** A refusal as GitHub words it. */
export function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest' }, headers };
}

/** Who is let in: an account by its token, a GitHub App by what it signs, its installations by tokens that last an hour. */
export class Door {
  readonly token = TOKEN;
  /** How far its clock is ahead of this machine's. */
  aheadMs = 0;
  isSuspended = false;
  /** The one that has the repository; null: the App is not installed there. */
  installation: number | null = 4711;
  isTokenRevoked = false;
  private keys: { readonly publicKey: KeyObject; readonly privateKey: string } | null = null;
  private readonly issued = new Map<string, { readonly installation: number; readonly ends: number }>();

  /** What the settings of the App give. */
  get app(): { readonly id: number; readonly privateKey: string } {
    if (this.keys === null) {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      this.keys = { publicKey, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
    }
    return { id: APP_ID, privateKey: this.keys.privateKey };
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** Every token of an installation that was given so far is taken no more. */
  forgetTokens(): void {
    this.issued.clear();
  }

  /** Null: whoever asks is let in. */
  refuse({ headers }: Call, pathname: string): Answer | null {
    const [scheme = '', credential = ''] = (headers.authorization ?? '').split(' ');
    if (!/^(token|bearer)$/i.test(scheme)) return refusal(401, 'Requires authentication');
    if (pathname.startsWith('/app') || pathname.endsWith('/installation')) return this.refuseApp(credential);
    if (credential === TOKEN && !this.isTokenRevoked) return null;
    const { installation, ends } = this.issued.get(credential) ?? { ends: 0 };
    if (ends <= this.now()) return refusal(401, 'Bad credentials');
    return installation === this.installation ? null : refusal(404, 'Not Found');
  }

  /** What only the App asks for. */
  answer(pathname: string): Answer | null {
    if (pathname.endsWith('/installation')) {
      return this.installation === null ? refusal(404, 'Not Found') : { status: 200, body: { id: this.installation } };
    }
    const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(pathname) ?? [];
    if (id === undefined) return null;
    if (Number(id) !== this.installation) return refusal(404, 'Not Found');
    if (this.isSuspended) return refusal(403, 'This installation has been suspended');
    const token = `ghs_${randomUUID()}`;
    const ends = this.now() + 3_600_000;
    this.issued.set(token, { installation: Number(id), ends });
    const more = { permissions: { issues: 'write' }, repository_selection: 'all' };
    return { status: 201, body: { token, expires_at: new Date(ends).toISOString(), ...more } };
  }

  private refuseApp(token: string): Answer | null {
    const [head = '', claims = '', signature = ''] = token.split('.');
    if (this.keys === null || signature === '') return refusal(401, 'A JSON web token could not be decoded');
    const { iss, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string; exp: number; iat: number };
    const now = this.now() / 1000;
    if (exp <= now) return refusal(401, "'Expiration time' claim ('exp') must be a numeric value representing the future time");
    if (exp > now + 600) return refusal(401, "'Expiration time' claim ('exp') is too far in the future");
    if (iat > now) return refusal(401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued");
    const isSigned = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(this.keys.publicKey, signature, 'base64url');
    return isSigned && iss === String(APP_ID) ? null : refusal(401, 'A JSON web token could not be decoded');
  }
}
