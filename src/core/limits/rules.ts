/** What turns of a workspace may do and cost, by the configuration of the replica that claims them. */
export interface WorkspaceRules {
  /** Its runtime takes messages while a turn runs. */
  readonly canAppend: boolean;
  /** What a turn, a conversation since its last reset, and all of the workspace in a day may cost; null: no limit. */
  readonly usdPerTurn: number | null;
  readonly usdPerConversation: number | null;
  readonly usdPerDay: number | null;
  /** IANA zone whose days the budget is of. */
  readonly timezone: string;
  /** So many turns that machines alone caused, within the window and with no person between, are enough; null: any number. */
  readonly loop: { readonly turns: number; readonly windowMs: number } | null;
}

export type RulesOf = (org: string, workspace: string) => WorkspaceRules;

export const NO_RULES: WorkspaceRules = {
  canAppend: false,
  usdPerTurn: null,
  usdPerConversation: null,
  usdPerDay: null,
  timezone: 'UTC',
  loop: null,
};

/** What a conversation has cost and been granted. */
export interface Account {
  readonly spent_usd: number;
  /** Until then an operator lets it go beyond the budget of the day. */
  readonly waived_until: number | null;
  /** Turns up to this token count for no loop: an operator has looked since. */
  readonly loop_floor: number;
}

/** What a turn may still cost, and which limit that is. */
export interface Allowance {
  readonly usd: number;
  readonly limit: 'turn' | 'conversation' | 'day';
  readonly cap: number;
  /** When the limit is no longer reached by itself; null: never. */
  readonly until: number | null;
}

/** The least of what the limits leave over; null: there is none. */
export function allowanceOf(
  rules: WorkspaceRules,
  account: Account,
  today: { spentUsd: number; endsAt: number; now: number },
): Allowance | null {
  const isWaived = account.waived_until !== null && account.waived_until > today.now;
  const left = (limit: Allowance['limit'], cap: number | null, spentUsd: number, until: number | null): Allowance[] =>
    cap === null ? [] : [{ usd: cap - spentUsd, limit, cap, until }];
  const all = [
    ...left('turn', rules.usdPerTurn, 0, null),
    ...left('conversation', rules.usdPerConversation, account.spent_usd, null),
    ...(isWaived ? [] : left('day', rules.usdPerDay, today.spentUsd, today.endsAt)),
  ];
  return all.toSorted((a, b) => a.usd - b.usd)[0] ?? null;
}

const OF: Readonly<Record<Allowance['limit'], string>> = {
  turn: 'a turn may cost',
  conversation: 'the conversation may cost',
  day: 'the workspace may cost in a day',
};

/** Why nothing goes on, for people. */
export function spentText({ limit, cap }: Allowance): string {
  return `spent: ${OF[limit]} ${cap} USD, and that is reached`;
}
