export type { ChaosCall, ChaosEvent, ChaosManner, ChaosWrite } from './chaos-event.js';
export { ChaosProvider, type Posting, type Storm } from './chaos-provider.js';
export { FakeAgent } from './fake-agent.js';
export { FakeClock } from './fake-clock.js';
export type { FakeTurn, Script } from './fake-turn.js';
export type { HostConfig } from './host-config.js';
export { type Answered, type Outcome, type PostedRequest, TestHost, type TestHostOptions } from './test-host.js';
