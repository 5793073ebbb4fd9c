/** A delivery as the admin API tells it, as far as a line shows it. */
export interface Delivery {
  readonly id: string;
  readonly conversation: string;
  readonly sequence: number;
  readonly route: string | null;
  readonly state: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly received_at: string;
  readonly completed_at: string | null;
}

const STATE_WIDTH = 'completed'.length;
const ID_WIDTH = 36;

/** What stands above the lines, for people. */
export const HEADER = ['time    ', 'conversation'.padEnd(ID_WIDTH), '#    ', 'state'.padEnd(STATE_WIDTH), 'outcome, route'].join('  ');

/** `14:03:22  2b1f…  #3    completed  done  route triage` */
export function stateLine(delivery: Delivery): string {
  const { conversation, sequence, state, route } = delivery;
  const cells = [timeOf(delivery), conversation, `#${sequence}`.padEnd(5), state.padEnd(STATE_WIDTH), ...detailsOf(delivery)];
  return [...cells, route === null ? '' : `route ${route}`]
    .filter((cell) => cell !== '')
    .join('  ')
    .trimEnd();
}

function detailsOf({ outcome, reason, attempts }: Delivery): string[] {
  const why = reason === null ? '' : ` (${reason})`;
  const verdict = outcome === null ? why.trim() : `${outcome}${why}`;
  return [verdict, attempts > 1 ? `attempt ${attempts}` : ''];
}

function timeOf({ completed_at, received_at }: Delivery): string {
  const instant = new Date(completed_at ?? received_at);
  return Number.isNaN(instant.getTime()) ? '--:--:--' : instant.toTimeString().slice(0, 8);
}
