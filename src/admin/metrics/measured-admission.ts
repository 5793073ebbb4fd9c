import type { Bracket } from '../../core/admission/admissions.js';
import type { AdmissionAnswer, IncomingEvent } from '../../core/admission/event.js';
import { EventAdmission } from '../../ingress/event-source.js';
import type { Metrics } from './metrics.js';

/** Admits as the one within does, and measures it. */
export class MeasuredAdmission extends EventAdmission {
  constructor(
    private readonly within: Pick<EventAdmission, 'admit' | 'admitTogether'>,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  async admit(event: IncomingEvent): Promise<AdmissionAnswer> {
    const [answer] = await this.measured(async () => [await this.within.admit(event)]);
    return answer as AdmissionAnswer;
  }

  admitTogether(events: readonly IncomingEvent[], bracket: Bracket): Promise<readonly AdmissionAnswer[]> {
    return this.measured(() => this.within.admitTogether(events, bracket));
  }

  private async measured(work: () => Promise<readonly AdmissionAnswer[]>): Promise<readonly AdmissionAnswer[]> {
    const began = performance.now();
    try {
      const answers = await work();
      for (const answer of answers) this.metrics.admitted(answer, (performance.now() - began) / 1000);
      return answers;
    } catch (error) {
      this.metrics.admissionFailed();
      throw error;
    }
  }
}
