import type { Verdict } from '../../core/admission/decision.js';
import type { NoMatch } from '../../core/routing/route.js';

export interface DecisionDetail {
  readonly verdicts: readonly Verdict[];
  readonly refusals: readonly Pick<NoMatch, 'route' | 'reason' | 'detail'>[];
  /** Writes of ours on which it depends. */
  readonly effects: readonly string[];
}

/** What a stored decision says about each route and conversation. */
export function decisionDetail(json: string): DecisionDetail {
  const { verdicts = [], refusals = [], effects = [] } = JSON.parse(json) as Partial<DecisionDetail>;
  return { verdicts, refusals, effects };
}
