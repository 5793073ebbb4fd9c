import assert from 'node:assert/strict';
import {
  ChannelFault,
  type Connection,
  type ControlChannel,
  type ControlPost,
  type ControlThread,
  type Parsed,
  type Provider,
} from '../../plugin/index.js';
import type { Check } from '../check.js';
import type { ControlSample, Posted, Stage } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { wakesNobody } from '../wakes-nobody.js';

const CONVERSATION = '5f0cf7ad-3f0c-5b3e-9f6b-0c1d2e3f4a5b';
const OTHER_CONVERSATION = '60a1f0d2-7f3a-5b1c-8d2e-4b5a6c7d8e9f';
const KEY = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';
const OTHER_KEY = 'a3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d';
const POST: ControlPost = { text: 'Working on it', key: KEY };

/** A channel with its connection, and a thread in it. */
interface Scene {
  readonly stage: Stage;
  ensure(known?: ControlThread, conversation?: string): Promise<ControlThread>;
  post(thread: ControlThread, post?: ControlPost): Promise<{ readonly message: string }>;
  edit(thread: ControlThread, message: string, text: string): Promise<void>;
  find(thread: ControlThread, key: string): Promise<string | null>;
  archive(thread: ControlThread): Promise<void>;
  /** What the parser makes of the provider's event about the message; null: it sends none. */
  hear(posted: Posted): Parsed | null;
}

type CheckOf = (name: string, run: (scene: Scene, control: ControlChannel) => Promise<void>) => Check;

export function controlChecks(under: UnderTest, sample: ControlSample): Check[] {
  const check: CheckOf = (name, run) => ({
    section: 'control',
    name,
    run: async () => {
      const { control, subjects } = await under.provider();
      assert(control, 'the provider has no control channel');
      await under.onStage((connection, stage) => run(sceneOf({ control, subjects, sample, connection, stage }), control));
    },
  });
  return [...threadChecks(check, sample), ...messageChecks(check)];
}

function threadChecks(check: CheckOf, sample: ControlSample): Check[] {
  return [
    check('has one thread for a conversation, however often it is asked', async ({ ensure }) => {
      const thread = await ensure();
      assert.equal((await ensure(thread)).id, thread.id, 'the thread that is known must be kept');
      assert.equal((await ensure()).id, thread.id, 'its own thread must be found again where the host did not learn of it');
    }),
    check('gives no thread of one conversation to another', async ({ ensure }) => {
      if (sample.threadPerConversation !== true) return;
      const thread = await ensure();
      assert.notEqual((await ensure(undefined, OTHER_CONVERSATION)).id, thread.id);
    }),
    check('closes a thread without a word where it is closed, and opens it again', async ({ ensure, archive, post }) => {
      const thread = await ensure();
      await archive(thread);
      await archive(thread);
      assert.equal((await ensure(thread)).id, thread.id, 'the thread must be opened, not replaced');
      await post(thread);
    }),
  ];
}

function messageChecks(check: CheckOf): Check[] {
  return [
    check('finds a message by its key, and none that was not posted', async ({ ensure, post, find }) => {
      const thread = await ensure();
      assert.equal(await find(thread, KEY), null);
      const { message } = await post(thread);
      assert.equal(await find(thread, KEY), message);
      assert.equal(await find(thread, OTHER_KEY), null);
    }),
    check('changes a message where it stands', async ({ ensure, post, edit, find }, { limits }) => {
      if (limits.editMs === null) return;
      const thread = await ensure();
      const { message } = await post(thread);
      await edit(thread, message, 'Done');
      assert.equal(await find(thread, KEY), message);
    }),
    check('hears its own messages as its own, so that none of them wakes an agent', async ({ ensure, post, hear }) => {
      const thread = await ensure();
      const { message } = await post(thread);
      const parsed = hear({ thread, message, key: KEY, text: POST.text });
      const isOwn = wakesNobody(parsed) || parsed?.author?.isSelf === true;
      assert(isOwn, `a message of the channel’s own comes back as a ${parsed?.kind} of somebody else’s`);
    }),
    check('tells a refusal from a message that may have been posted', async ({ stage, ensure, post, find }) => {
      const thread = await ensure();
      if (stage.refuse) {
        stage.refuse();
        await assert.rejects(
          post(thread, { ...POST, key: OTHER_KEY }),
          (fault) => fault instanceof ChannelFault,
          'a refusal is a ChannelFault',
        );
      }
      if (!stage.loseAnswer) return;
      stage.loseAnswer();
      await assert.rejects(
        post(thread),
        (fault) => !(fault instanceof ChannelFault),
        'a lost answer is no ChannelFault: it may have been posted',
      );
      assert.notEqual(await find(thread, KEY), null, 'what was posted and not answered must be found by its key');
    }),
  ];
}

interface Parts {
  readonly control: ControlChannel;
  readonly subjects: Provider['subjects'];
  readonly sample: ControlSample;
  readonly connection: Connection;
  readonly stage: Stage;
}

function sceneOf({ control, subjects, sample, connection, stage }: Parts): Scene {
  const { signal } = new AbortController();
  const { parent, subject } = sample;
  return {
    stage,
    ensure: (known, conversation = CONVERSATION) =>
      control.ensureThread({ conversation, subject, parent, title: 'Repair the scheduler', known: known ?? null }, connection, signal),
    post: (thread, post = POST) => control.post(thread, post, connection, signal),
    edit: (thread, message, text) => control.edit(thread, message, { ...POST, text }, connection, signal),
    find: (thread, key) => control.findMarker(thread, key, connection, signal),
    archive: (thread) => control.archive(thread, connection, signal),
    hear: (posted) => {
      const event = sample.callback(posted, stage);
      return event && subjects.parse({ connection, ...event });
    },
  };
}
