import { backlog } from './backlog.mjs';
import { ceiling } from './ceiling.mjs';
import { flat } from './flat.mjs';
import { footprint } from './footprint.mjs';
import { latency } from './latency.mjs';
import { replicas } from './replicas.mjs';
import { throughput } from './throughput.mjs';

/** In the order in which they are run and shown. */
export const SCENARIOS = [throughput, ceiling, latency, flat, backlog, replicas, footprint];
