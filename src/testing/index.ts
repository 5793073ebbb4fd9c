export type { Check, Runner, Section } from './check.js';
export { conformanceChecks, providerConformance } from './conformance.js';
export type { ControlSample, ProviderSamples, SampleEvent, SampleRequest, SampleWrite, Stage, Written } from './samples.js';
