// One line a run on stderr, with how long it took and what came of it.
import { faultsText, number } from './format.mjs';

export class Progress {
  #title;
  #begunAt = 0;

  constructor(title) {
    this.#title = title;
  }

  begin(what) {
    this.#begunAt = performance.now();
    process.stderr.write(`${this.#title}: ${what} … `);
  }

  end(figures) {
    const seconds = ((performance.now() - this.#begunAt) / 1000).toFixed(1);
    process.stderr.write(`${outcome(figures)}(${seconds} s)\n`);
  }
}

function outcome({ acceptedPerSecond, donePerSecond, faults, foreignCpus }) {
  const parts = [
    donePerSecond !== undefined && `done ${number(donePerSecond)}/s`,
    donePerSecond === undefined && acceptedPerSecond !== undefined && `accepted ${number(acceptedPerSecond)}/s`,
    faults && faultsText(faults),
    // Ratios bear it; whoever reads the figures should know.
    foreignCpus > 0.2 && `other programs used ${foreignCpus.toFixed(1)} CPUs`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : `${parts.join(', ')} `;
}
