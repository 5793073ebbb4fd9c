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
  /** How many work with each. */
  private readonly inUse = new Map<string, number>();
  /** On their way out of memory: what is asked of them is asked of what comes after. */
  private readonly leaving = new Map<string, Promise<void>>();

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

  /** Works with a conversation, which stays in memory at least as long; null: there is none. */
  async with<T>(id: string, work: (conversation: HostedConversation | null) => Promise<T> | T): Promise<T> {
    const origin = this.origins.get(id);
    if (origin === undefined) return work(null);
    this.inUse.set(id, (this.inUse.get(id) ?? 0) + 1);
    try {
      return await work(await this.loadOnce(origin));
    } finally {
      const left = (this.inUse.get(id) ?? 1) - 1;
      if (left > 0) this.inUse.set(id, left);
      else this.inUse.delete(id);
      this.forgetOldest();
    }
  }

  /** Makes one and works with it; one that is there stays as it is. Throws `ConfigFault` where its agent cannot be hosted. */
  async make<T>(origin: Origin, work: (conversation: HostedConversation, isNew: boolean) => Promise<T>): Promise<T> {
    const isNew = !this.origins.has(origin.id);
    if (isNew) {
      this.agents.of(origin.agent);
      this.origins.set(origin.id, origin);
      this.loaded.set(origin.id, this.storeAndLoad(origin));
    }
    return this.with(origin.id, (conversation) => {
      if (conversation === null) throw new Error(`the conversation ${origin.id} could not be stored`);
      return work(conversation, isNew);
    });
  }

  async remove(id: string): Promise<void> {
    await this.with(id, async (conversation) => {
      this.origins.delete(id);
      this.loaded.delete(id);
      await conversation?.remove();
      await rm(path.join(this.folder, id), { recursive: true, force: true });
    });
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

  private async storeAndLoad(origin: Origin): Promise<HostedConversation> {
    try {
      await this.store(origin);
      return await this.load(origin);
    } catch (error) {
      this.origins.delete(origin.id);
      throw error;
    }
  }

  private loadOnce(origin: Origin): Promise<HostedConversation> {
    const { id } = origin;
    const loaded = this.loaded.get(id) ?? this.load(origin);
    this.loaded.delete(id);
    this.loaded.set(id, loaded);
    loaded.catch(() => this.loaded.delete(id));
    return loaded;
  }

  private async load(origin: Origin): Promise<HostedConversation> {
    await this.leaving.get(origin.id);
    const { log, lines } = await EventLog.open(path.join(this.folder, origin.id, LOG));
    return HostedConversation.load(origin, lines, log, this.agents.of(origin.agent), this.places);
  }

  /** Those that nobody works with, listens to, or waits for. */
  private forgetOldest(): void {
    let over = this.loaded.size - MOST_ASLEEP;
    for (const [id, loaded] of this.loaded) {
      if (over <= 0) return;
      if (this.inUse.has(id) || this.leaving.has(id)) continue;
      over--;
      const left = loaded.then((conversation) => this.forget(id, conversation)).catch(() => undefined);
      this.leaving.set(id, left);
      void left.then(() => this.leaving.delete(id));
    }
  }

  private async forget(id: string, conversation: HostedConversation): Promise<void> {
    if (!conversation.isAsleep || this.inUse.has(id)) return;
    this.loaded.delete(id);
    await conversation.close();
  }
}
