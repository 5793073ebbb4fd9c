// Readers that take only what is written as it should be; Node's own forgive what a provider never sends.

export function strictHex(text: string): Buffer | null {
  return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, 'hex') : null;
}

export function strictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** People copy keys without the padding; a signature must have it. */
export function keyFromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null;
}
