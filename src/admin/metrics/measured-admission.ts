import type { AdmissionAnswer, IncomingEvent } from '../../core/admission/event.js';
import { EventAdmission } from '../../ingress/event-source.js';
import type { Metrics } from './metrics.js';

/** Admits as the one within does, and measures it. */
export class MeasuredAdmission extends EventAdmission {
  constructor(
    private readonly within: { admit(event: IncomingEvent): Promise<AdmissionAnswer> },
    private readonly metrics: Metrics,
  ) {
    super();
  }

  async admit(event: IncomingEvent): Promise<AdmissionAnswer> {
    const began = performance.now();
    try {
      const answer = await this.within.admit(event);
      this.metrics.admitted(answer, (performance.now() - began) / 1000);
      return answer;
    } catch (error) {
      this.metrics.admissionFailed();
      throw error;
    }
  }
}
