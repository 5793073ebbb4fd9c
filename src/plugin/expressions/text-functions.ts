import { compilePattern, patternFault } from './event-pattern.js';
import { type OwnFunction, optionalNumber, optionalText, ownFunction, text } from './own-function.js';
import { regexOf } from './regex.js';

type Text = readonly [value: string, part: string];
type Trim = readonly [value: string, chars?: string];

export const textFunctions: Readonly<Record<string, OwnFunction>> = {
  glob: ownFunction<Text>([text, text], ([value, pattern], { budget }) => {
    if (patternFault(pattern) !== null) return false;
    budget.spend(value.length * (1 + pattern.length / 4));
    return compilePattern(pattern).matches(value);
  }),
  regex: ownFunction<Text>([text, text], ([value, pattern], { budget }) => {
    budget.spendText(pattern.length);
    return regexOf(pattern)?.isIn(value, (steps) => budget.spend(steps)) ?? false;
  }),
  icontains: ownFunction<Text>([text, text], ([value, part]) => value.toLowerCase().includes(part.toLowerCase())),
  replace: ownFunction<readonly [string, string, string, number?]>(
    [text, text, text, optionalNumber],
    ([value, part, by, count], { budget }) => {
      const pieces = value.split(part);
      const replaced = Math.min(count ?? Infinity, pieces.length - 1);
      if (!(replaced >= 0 && Number.isInteger(replaced))) throw new RangeError('replace() takes a whole number of times');
      budget.spendText(replaced * by.length);
      const rest = pieces.slice(replaced + 1);
      return [pieces.slice(0, replaced + 1).join(by), ...rest].join(part);
    },
  ),
  // The library trims by a regular expression that takes quadratic time and stops at line ends.
  trim: ownFunction<Trim>([text, optionalText], ([value, chars]) => trimEnd(trimStart(value, chars), chars)),
  trim_left: ownFunction<Trim>([text, optionalText], ([value, chars]) => trimStart(value, chars)),
  trim_right: ownFunction<Trim>([text, optionalText], ([value, chars]) => trimEnd(value, chars)),
};

function trimStart(value: string, chars: string | undefined): string {
  if (!chars) return value.trimStart();
  const points = [...value];
  const kept = points.findIndex((point) => !chars.includes(point));
  return kept < 0 ? '' : points.slice(kept).join('');
}

function trimEnd(value: string, chars: string | undefined): string {
  if (!chars) return value.trimEnd();
  const points = [...value];
  return points.slice(0, points.findLastIndex((point) => !chars.includes(point)) + 1).join('');
}
