import type { Config } from '../../config/config.js';
import { type ChannelHealth, channelHealth } from '../../core/controls/bindings.js';
import type { Database } from '../../database/database.js';
import type { ChannelState } from '../../plugin/index.js';
import { type Finding, ok, type Section, warning } from './finding.js';

const FIXES: Readonly<Record<ChannelState, string>> = {
  thread_gone: 'Nothing: a new thread is made for the next message.',
  message_gone: 'Nothing: the message is posted anew.',
  thread_locked: 'Unlock the threads, or delete them.',
  parent_gone: 'Name a parent that exists in `control` of the workspace, and restart.',
  forbidden: 'Give the bot the permissions that the message names.',
  too_many_threads: 'Archive threads of the parent.',
  refused: 'See the message; that one post is given up.',
  rate_limited: 'Nothing, unless it lasts.',
  unavailable: 'Nothing, unless it lasts.',
};

/** What the channels said when something was last written to their threads. Without any thread there is no section. */
export async function checkControls({ orgs }: Config, database: Database): Promise<Section[]> {
  const health = await database.transaction((tx) => channelHealth(tx, orgs));
  return health.length === 0 ? [] : [{ title: 'Threads', findings: health.map(standing) }];
}

function standing({ org, connection, fault, message, threads }: ChannelHealth): Finding {
  const name = `${org}/${connection}`;
  const many = `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  return fault === null ? ok(name, `${many} in order`) : warning(name, `${many} ${fault}: ${message}`, FIXES[fault]);
}
