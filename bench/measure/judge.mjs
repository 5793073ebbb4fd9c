// What went wrong, judged from outside: what was accepted against what the handlers did.

/**
 * lost: accepted, and its handling never ended. twice: handled again, once for each time too many. disordered: begun for the first
 * time after a later one of its subject. overlapping: begun while another handling of its subject was not at its end.
 */
export function judge(accepted, events) {
  const sorted = [...events].sort((a, b) => a.at - b.at);
  const begun = new Map();
  const ended = new Set();
  const latest = new Map();
  const running = new Map();
  const faults = { lost: 0, twice: 0, disordered: 0, overlapping: 0 };
  for (const { kind, turn, marks } of sorted) {
    const subjects = new Set(marks.map(subjectOf));
    for (const subject of subjects) {
      const turns = running.get(subject) ?? new Set();
      if (kind === 'begin' && turns.size > 0) faults.overlapping++;
      if (kind === 'begin') turns.add(turn);
      else turns.delete(turn);
      running.set(subject, turns);
    }
    if (kind === 'end') for (const mark of marks) ended.add(mark);
    else for (const mark of marks) begin(mark);
  }
  faults.lost = accepted.filter((mark) => !ended.has(mark)).length;
  return faults;

  function begin(mark) {
    const times = (begun.get(mark) ?? 0) + 1;
    begun.set(mark, times);
    if (times > 1) {
      faults.twice++;
      return;
    }
    const [subject, number] = [subjectOf(mark), Number(mark.split(':')[1])];
    if (number < (latest.get(subject) ?? 0)) faults.disordered++;
    latest.set(subject, Math.max(number, latest.get(subject) ?? 0));
  }
}

export function isFaultless({ lost, twice, disordered, overlapping }) {
  return lost + twice + disordered + overlapping === 0;
}

/** The worst that was seen in any of several runs. */
export function worst(faults) {
  const most = (key) => Math.max(...faults.map((each) => each[key]));
  return { lost: most('lost'), twice: most('twice'), disordered: most('disordered'), overlapping: most('overlapping') };
}

function subjectOf(mark) {
  return mark.split(':')[0];
}
