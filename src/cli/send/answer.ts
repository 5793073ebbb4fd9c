export interface SendAnswer {
  readonly status: number;
  readonly text: string;
}

interface Accepted {
  readonly disposition: string;
  readonly duplicate: boolean;
  readonly reason: string | null;
  readonly deliveries: readonly {
    readonly route: string | null;
    readonly conversation: string;
    readonly sequence: number;
    readonly state: string;
  }[];
}

/** True: it took the event. Whoever else may listen at the address says nothing that counts. */
export function isOk(answer: SendAnswer): boolean {
  return isSuccess(answer) && objectIn(answer.text) !== null;
}

function isSuccess({ status }: SendAnswer): boolean {
  return status >= 200 && status < 300;
}

/** What the server said, as rows of cells: one for each delivery that the event made, at least one. */
export function rowsOf(answer: SendAnswer): string[][] {
  const start = String(answer.status);
  const body = objectIn(answer.text);
  if (isSuccess(answer) && body === null)
    return [[start, 'not understood', `this is no answer of Throughline's; is --url right? ${firstLine(answer.text)}`]];
  if (!isSuccess(answer))
    return [[start, textOf(body?.['code']) ?? 'refused', textOf(body?.['detail']) ?? textOf(body?.['title']) ?? firstLine(answer.text)]];
  if (!isAccepted(body)) return [[start, 'answered', firstLine(answer.text)]];
  const verdict = [start, body.disposition, body.duplicate ? 'duplicate' : 'first'];
  if (body.deliveries.length === 0) return [[...verdict, body.reason === null ? 'no conversation' : `no conversation (${body.reason})`]];
  return body.deliveries.map(({ route, conversation, sequence, state }) => [
    ...verdict,
    `conversation ${conversation}`,
    `sequence ${sequence}`,
    ...(route === null ? [] : [`route ${route}`]),
    // A duplicate is answered with what was so when the first came.
    ...(body.duplicate ? [] : [state]),
  ]);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function isAccepted(body: unknown): body is Accepted {
  return typeof body === 'object' && body !== null && 'disposition' in body && 'deliveries' in body && Array.isArray(body.deliveries);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) || '(empty)';
}
