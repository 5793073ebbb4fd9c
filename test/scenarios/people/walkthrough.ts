import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { BuiltProcess } from '../../demo/child.js';
import { blocksOf, root } from '../../readme-blocks.js';
import { type Heard, type House, TOKEN } from './house.js';
import type { SlackStage } from './slack-stage.js';
import type { Json, Shown } from './stage.js';

export const PAGE = 'docs/walkthrough.md';

const WIDTH = 96;
const MARGIN = 12;
const APPROVAL = /"id": "[\w-]{24}"/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g;

/** Looks at the story as its people and its operator do, for the page that tells it. */
export class Walkthrough {
  /** What the page shows, in its order. */
  readonly seen: string[] = [];

  constructor(
    private readonly house: House,
    private readonly stage: SlackStage,
  ) {}

  look = async (when: string, conversation: string): Promise<void> => {
    const looks: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
      opened: () => [this.events(1)],
      looking: () => [this.thread()],
      asked: async () => [this.thread(), await this.conversation(conversation)],
      'asked to write': async () => [this.thread(-1), await this.approvals(conversation)],
      written: () => [this.comments()],
      closed: async () => [this.thread(), this.events(), await this.tail(conversation)],
    };
    this.seen.push(...((await looks[when]?.()) ?? []).map(alike));
  };

  private thread(from = 0): string {
    const title = `#agents › ${this.stage.title}`;
    return [title, '', ...this.stage.thread().slice(from).flatMap(message)].join('\n');
  }

  private comments(): string {
    const written = this.stage.issue.comments().map(({ text }) => ({ by: 'mona', text }));
    return [`${this.stage.issue.subject} at GitHub`, '', ...written.flatMap(message)].join('\n');
  }

  private events(most = Number.POSITIVE_INFINITY): string {
    const heard = this.house.heard.filter(({ connection }) => connection in this.stage.connections);
    const rows = heard.slice(0, most).map((each) => [each.connection, ...this.told(each), answered(each)]);
    return table([['connection', 'event', 'by', 'answer'], ...rows]);
  }

  private async conversation(id: string): Promise<string> {
    const { state, status, waiting_for, queue, control } = await this.house.ask<Json>(`/v1/conversations/${id}`);
    return `GET /v1/conversations/${id}\n\n${JSON.stringify({ state, status, waiting_for, queue, control }, null, 2)}`;
  }

  private async approvals(conversation: string): Promise<string> {
    const { items } = await this.house.ask<{ items: readonly Json[] }>('/v1/approvals?state=pending');
    const own = items.filter((each) => each['conversation'] === conversation);
    const shown = own.map(({ id, kind, tool, destination, body, state, expires_at }) => {
      return { id, kind, tool, destination, body, state, expires_at };
    });
    return `GET /v1/approvals?state=pending\n\n${JSON.stringify(shown, null, 2)}`;
  }

  private async tail(conversation: string): Promise<string> {
    const args = ['tail', '--url', this.house.urls[0] ?? '', '--token', TOKEN, '--conversation', conversation];
    const tail = new BuiltProcess('cli/throughline.js', args, { cwd: os.tmpdir() });
    await tail.printed('#4 ');
    await tail.end('SIGINT');
    const lines = tail.output.trimEnd().split('\n');
    return [`$ throughline tail --conversation ${conversation}`, ...lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, '10:00:00'))].join(
      '\n',
    );
  }

  /** The event in its provider's words, and who it is by. */
  private told({ connection, headers, body }: Heard): [string, string] {
    if (connection !== 'slack') {
      const { action } = JSON.parse(body) as Json;
      return [`${headers['x-github-event']}.${action}`, 'mona'];
    }
    const pressed = new URLSearchParams(body).get('payload');
    if (pressed !== null) return ['block_actions', 'octocat'];
    const { event } = JSON.parse(body) as { event: Json };
    return [String(event['type']), event['bot_id'] === undefined ? 'octocat' : 'the app'];
  }
}

function answered({ answer: { disposition, reason, duplicate } }: Heard): string {
  const why = reason ? `: ${reason}` : '';
  return `${disposition}${why}${duplicate ? ', duplicate' : ''}`;
}

function message({ by, text, buttons = [], isEdited }: Shown): string[] {
  const lines = text
    .replace(/\n\n_[^\n]*_$/, '')
    .split('\n')
    .flatMap(wrapped);
  if (isEdited) lines.push('(edited)');
  if (buttons.length > 0) lines.push(buttons.map((label) => `[ ${label} ]`).join('  '));
  return lines.map((line, index) => `  ${(index === 0 ? by : '').padEnd(MARGIN - 2)}${line}`.trimEnd());
}

function wrapped(line: string): string[] {
  const words = line.split(' ');
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= WIDTH - MARGIN) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 2))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** The same in every run. */
function alike(text: string): string {
  return text.replaceAll(INSTANT, '2026-01-01T10:00:00.000Z').replaceAll(APPROVAL, '"id": "rM4-wc1Zk0VbXo7JdPq2TnLs"');
}

/** The blocks of the page; with `UPDATE_GOLDEN` set, what was seen is put into them first. */
export function shownOnPage(seen: readonly string[]): string[] {
  const shown = () => blocksOf(PAGE).filter(({ language }) => language === 'text');
  if (process.env['UPDATE_GOLDEN']) {
    const file = `${root}${PAGE}`;
    const left = [...seen];
    const page = readFileSync(file, 'utf8').replace(/^```text\n[\s\S]*?^```$/gm, () => `\`\`\`text\n${left.shift() ?? ''}\n\`\`\``);
    writeFileSync(file, page);
  }
  return shown().map(({ text }) => text.trimEnd());
}
