import type { DemoOptions } from '../options.js';
import { INDENT } from './columns.js';
import type { Screen } from './screen.js';
import { wrapped } from './text-width.js';

const LONGEST_TEXT = 110;

export function printWelcome(screen: Screen, { url, answered, of }: { url: string; answered: number; of: number }): void {
  screen.line();
  screen.line(INDENT + screen.paint('bold', 'Throughline'));
  const serving = `A server at ${url}, and ${of} requests of GitHub, Linear and Slack, recorded and signed as they sign.`;
  for (const line of textLines(screen, serving)) screen.line(INDENT + screen.paint('dim', line));
  if (answered === 0) return;
  const text = `An earlier demo was stopped after ${answered} of ${of} answers. Nothing of it is lost: its agents’ turns go on, and so does the script.`;
  screen.line();
  for (const line of textLines(screen, text)) screen.line(INDENT + screen.paint('yellow', line));
}

export function printServing(screen: Screen, { url, folder }: { url: string; folder: string }): void {
  const config = `--config ${folder}/throughline.config.yaml`;
  const mention = 'test/fixtures/slack/bolt-python/app.app_mention_event_body.json';
  const bold = (text: string) => screen.paint('bold', text);
  const dim = (text: string) => screen.paint('dim', text);
  const lines = [
    `${bold('The server goes on')} until Ctrl-C.`,
    '',
    `${dim('API docs')}   ${url}/docs`,
    `${dim('events to')}  ${url}/v1/events/default/{github,linear,slack}`,
    `${dim('token')}      ${folder}/admin-token`,
    '',
    dim('One more event, signed as Slack signs, and what becomes of it:'),
    `  npm run cli -- send default/slack ${config} \\`,
    `    --payload ${mention}`,
    `  npm run cli -- tail ${config}`,
  ];
  screen.line();
  for (const line of lines) screen.line(line === '' ? '' : INDENT + line);
}

export function printFarewell(screen: Screen, { once }: DemoOptions): void {
  screen.line();
  const text = once ? 'Stopped; nothing is left behind.' : 'Stopped in the middle. `npm run demo` goes on from here.';
  for (const line of textLines(screen, text)) screen.line(INDENT + screen.paint('yellow', line));
}

function textLines(screen: Screen, text: string): string[] {
  return wrapped(text, Math.min(LONGEST_TEXT, screen.width() - 2));
}
