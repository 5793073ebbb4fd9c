import type { Author } from 'throughline/plugin';
import type { GithubConnection } from './github.options.js';
import { at, given, idAt, lineAt } from './github.shape.js';

/** What tells who an author is, beside the account itself. */
interface Evidence {
  /** `author_association`, where the payload says it of this account. */
  readonly association?: string | null;
  /** Id of the app through which it was done. */
  readonly app?: number | null;
}

/**
 * Own are what came through our app and what our app's bot account did, both by id. An account of any other type is never
 * own: a person may share it, and their words must not be swallowed.
 */
export function authorOf(options: GithubConnection, account: unknown, { association = null, app = null }: Evidence = {}): Author | null {
  const id = idAt(account, 'id');
  const name = lineAt(account, 'login', 100);
  if (id === null || name === null) return null;
  const isBot = at(account, 'type') === 'Bot';
  const isSelf = (app !== null && (app === options.appId || app === options.app?.id)) || (isBot && id === options.botUserId);
  return {
    id: String(id),
    name,
    isBot,
    ...given('isSelf', isSelf || null),
    ...given('roles', association === null ? null : [association]),
  };
}

/** Who wrote it: the account named in the message; the sender, where that account is gone. */
export function writer(options: GithubConnection, payload: unknown, source: unknown): Author | null {
  const evidence = { association: lineAt(source, 'author_association', 40), app: idAt(source, 'performed_via_github_app.id') };
  return authorOf(options, at(source, 'user'), evidence) ?? authorOf(options, at(payload, 'sender'), { app: evidence.app });
}

/** Who did it: the sender. The association is known only where the sender also wrote the issue or pull request. */
export function actor(options: GithubConnection, payload: unknown, thread: unknown, app: number | null = null): Author | null {
  const sender = at(payload, 'sender');
  const senderId = idAt(sender, 'id');
  const wroteIt = senderId !== null && senderId === idAt(thread, 'user.id');
  return authorOf(options, sender, { association: wroteIt ? lineAt(thread, 'author_association', 40) : null, app });
}
