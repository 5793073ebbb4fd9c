import type { TestDatabase } from '../../databases.js';
import { Cuts } from './cuts.js';
import { Gates } from './gates.js';
import { House } from './house.js';
import type { Stage } from './stage.js';
import { expectOnce, type Telling, tell } from './story.js';

/** Everything waits so long at the most. */
const LONGEST_MS = 230_000;

export interface ShowOptions {
  readonly isKilled?: boolean;
  readonly replicas?: number;
  /** Looks at one of the stages. */
  readonly look?: (house: House, stage: Stage) => Telling['look'];
}

/** The story at several providers, told at one time through one server. */
export class Show {
  readonly stories: ReadonlyMap<string, Promise<{ readonly conversation: string; readonly notes: readonly string[] }>>;
  private readonly over = new AbortController();
  private readonly cuts: Cuts;

  private constructor(
    readonly house: House,
    private readonly gates: Gates,
    private readonly stages: readonly Stage[],
    private readonly options: ShowOptions,
  ) {
    this.cuts = new Cuts(stages.length, () => house.killAndStart());
    this.stories = new Map(stages.map((stage) => [stage.name, this.begin(stage)]));
    for (const story of this.stories.values()) story.catch((error: unknown) => this.cuts.fail(error));
  }

  static async open(test: TestDatabase, stages: readonly Stage[], options: ShowOptions = {}): Promise<Show> {
    const gates = await Gates.start();
    return new Show(await House.open(test, stages, gates, options.replicas), gates, stages, options);
  }

  /** How often the server was killed. */
  get kills(): number {
    return this.cuts.kills;
  }

  /** What the store is like when all is told and the server has ended. */
  async end(): ReturnType<House['end']> {
    await Promise.allSettled(this.stories.values());
    return this.house.end();
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.house.remove();
    await this.gates.close();
    await Promise.all(this.stages.map((stage) => stage.stop()));
  }

  private async begin(stage: Stage): Promise<{ conversation: string; notes: readonly string[] }> {
    const { house, gates } = this;
    const look = this.options.look?.(house, stage);
    const telling: Telling = {
      ...{ door: house, gates, ask: house.ask },
      signal: AbortSignal.any([this.over.signal, AbortSignal.timeout(LONGEST_MS)]),
      cut: this.options.isKilled ? this.cuts.of(stage) : async () => undefined,
      ...(look && { look }),
    };
    try {
      const conversation = await tell(stage, telling);
      await expectOnce(stage, telling, conversation);
      return { conversation, notes: gates.notes(conversation) };
    } catch (error) {
      const seen = stage.thread().map(({ by, text }) => `  ${by}: ${text}`);
      throw new Error(`${stage.name}: ${(error as Error).message}\nthread:\n${seen.join('\n')}\nserver:\n${house.said.slice(-3000)}`, {
        cause: error,
      });
    }
  }
}
