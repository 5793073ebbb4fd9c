import os from 'node:os';

export function machine() {
  const [cpu] = os.cpus();
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: os.availableParallelism(),
    cpu: cpu?.model ?? 'unknown',
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
  };
}
