import { createHmac } from 'node:crypto';

export function hmac(secret: string | Buffer, content: string, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHmac('sha256', secret).update(content).digest(encoding);
}
