import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { validate } from 'uuid';
import type { Agents } from './agents.js';
import { EventLog } from './event-log.js';
import { HostedConversation } from './hosted-conversation.js';
import type { Places } from './places.js';
import type { Origin } from './standing.js';

const ORIGIN = 'conversation.json';
const LOG = 'log.jsonl';
/** So many that nothing happens in are kept in memory. */
const MOST_ASLEEP = 100;

/** The conversations of this server, each in a folder of its own. */
export class Conversations {
  /** In the order in which they were last asked for. */
  private readonly loaded = new Map<string, Promise<HostedConversation>>();
  private readonly origins = new Map<string, Origin>();

  private constructor(
    private readonly folder: string,
    private readonly agents: Agents,
    private readonly places: Places,
  ) {}

  static async open(folder: string, agents: Agents, places: Places): Promise<Conversations> {
    const conversations = new Conversations(folder, agents, places);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of (await readdir(folder)).filter((each) => validate(each))) await conversations.find(name);
    return conversations;
  }

  /** All that there are, the newest first. */
  all(): Origin[] {
    return [...this.origins.values()].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  }

  async get(id: string): Promise<HostedConversation | null> {
    const origin = this.origins.get(id);
    if (origin === undefined) return null;
    const loaded = this.loaded.get(id) ?? this.load(origin);
    this.loaded.delete(id);
    this.loaded.set(id, loaded);
    const conversation = await loaded.catch((error: unknown) => {
      this.loaded.delete(id);
      throw error;
    });
    await this.forgetOldest();
    return conversation;
  }

  /** One that is there stays as it is. Throws `ConfigFault` where its agent cannot be hosted. */
  async make(origin: Origin): Promise<{ readonly conversation: HostedConversation; readonly isNew: boolean }> {
    const known = await this.get(origin.id);
    if (known !== null) return { conversation: known, isNew: false };
    this.agents.of(origin.agent);
    this.origins.set(origin.id, origin);
    const made = this.store(origin).then(() => this.load(origin));
    this.loaded.set(origin.id, made);
    const conversation = await made.catch((error: unknown) => {
      this.origins.delete(origin.id);
      this.loaded.delete(origin.id);
      throw error;
    });
    return { conversation, isNew: true };
  }

  /** False: there is none. */
  async remove(id: string): Promise<boolean> {
    const conversation = await this.get(id);
    if (conversation === null) return false;
    this.origins.delete(id);
    this.loaded.delete(id);
    await conversation.remove();
    await rm(path.join(this.folder, id), { recursive: true, force: true });
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.loaded.values()].map(async (each) => (await each).close()));
  }

  /** Its origin comes whole or not at all; what was cut off before that was never answered for. */
  private async store(origin: Origin): Promise<void> {
    const folder = path.join(this.folder, origin.id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await mkdir(origin.working_dir, { recursive: true });
    await writeFile(path.join(folder, `${ORIGIN}.new`), JSON.stringify(origin), { flush: true, mode: 0o600 });
    await rename(path.join(folder, `${ORIGIN}.new`), path.join(folder, ORIGIN));
  }

  private async find(id: string): Promise<void> {
    const text = await readFile(path.join(this.folder, id, ORIGIN), 'utf8').catch(() => null);
    if (text !== null) this.origins.set(id, JSON.parse(text) as Origin);
  }

  private async load(origin: Origin): Promise<HostedConversation> {
    const { log, lines } = await EventLog.open(path.join(this.folder, origin.id, LOG));
    return HostedConversation.load(origin, lines, log, this.agents.of(origin.agent), this.places);
  }

  private async forgetOldest(): Promise<void> {
    let over = this.loaded.size - MOST_ASLEEP;
    for (const [id, loaded] of this.loaded) {
      if (over-- <= 0) return;
      const conversation = await loaded;
      if (!conversation.isAsleep) continue;
      this.loaded.delete(id);
      await conversation.close();
    }
  }
}
