import { styleText } from 'node:util';

export type Paint = Parameters<typeof styleText>[0];

export interface Screen {
  /** Columns; asked for at each line, since people resize windows. */
  width(): number;
  paint(style: Paint, text: string): string;
  line(text?: string): void;
}

const WIDTH_OF_FILES = 100;
const NARROWEST = 60;
const WIDEST = 180;

/** Colours for people alone: not in files and pipes, and not for those who said NO_COLOR. */
export function screenOf(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const isColoured = out.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return {
    width: () => Math.min(WIDEST, Math.max(NARROWEST, out.columns || Number(env['COLUMNS']) || WIDTH_OF_FILES)),
    paint: (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text),
    line: (text = '') => void out.write(`${text}\n`),
  };
}
