export type { Check, Runner, Section } from './check.js';
export { conformanceChecks, providerConformance } from './conformance.js';
export type {
  ControlSample,
  EventOf,
  Posted,
  ProviderSamples,
  SampleEvent,
  SampleRead,
  SampleRequest,
  SampleSource,
  SampleStream,
  SampleWrite,
  Stage,
  Written,
} from './samples.js';
