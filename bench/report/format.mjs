import { isFaultless } from '../measure/judge.mjs';

/** As many digits as can be told apart. */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function withUnit(value, unit) {
  const text = number(value);
  if (text === '–') return text;
  return unit === '×' ? `${text} ×` : `${text} ${unit}`;
}

export function wantedText({ wanted, unit }) {
  if (wanted === null) return '';
  return wanted.least === undefined ? `≤ ${wanted.most} ${unit}` : `≥ ${wanted.least} ${unit}`;
}

export function faultsText(faults) {
  if (isFaultless(faults)) return 'no fault';
  return Object.entries(faults)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
