import { Injectable, Module } from '@nestjs/common';
import { IsString } from 'class-validator';
import {
  type AuthenticEvent,
  definePlugin,
  type EffectReader,
  type Evidence,
  type OutboundBinding,
  type OutboundTool,
  type Parsed,
  type Provider,
  ProviderFault,
  type SubjectParser,
  type VerifiedRequest,
  type WebhookTransport,
} from 'throughline/plugin';
import type { BoardComment } from './board-server.js';

/** A provider of issues with comments, as a third party's plugin would bring it. Its server is `BoardServer`. */
export class BoardConnection {
  @IsString()
  readonly apiUrl!: string;
}

export class CommentInput {
  @IsString()
  readonly text!: string;
}

const ACCOUNT = 'board-1';
const subjectOf = (issue: string) => ({ namespace: 'board:board-1:issue', key: issue });

class BoardWebhook implements WebhookTransport<BoardConnection> {
  readonly kind = 'webhook';
  signature = () => ({ algorithm: 'hmac-sha256', signature: { header: 'x-board-signature', encoding: 'hex' } }) as const;
  deliveryId = ({ headers }: VerifiedRequest) => String(headers['x-board-delivery']);
  eventKey = () => 'comment.created';
}

class BoardSubjects implements SubjectParser<BoardConnection> {
  parse({ payload }: AuthenticEvent<BoardConnection>): Parsed {
    const { id, issue, text, at, marker } = payload as BoardComment;
    const evidence = { account: ACCOUNT, kind: 'comment', action: 'create', ids: idsOf({ id, issue }), marker };
    // Everybody uses one account here: who acted says nothing.
    return {
      kind: 'prompt',
      subject: subjectOf(issue),
      text,
      occurredAt: at,
      author: { id: 'shared', name: 'shared', isBot: false },
      evidence,
    };
  }
}

function idsOf({ id, issue }: Pick<BoardComment, 'id' | 'issue'>): Evidence['ids'] {
  return { comment: id, issue };
}

/** Writes a comment; a marked one carries the host's key. */
function commentTool(name: string, isMarked: boolean): OutboundTool<BoardConnection, CommentInput> {
  return {
    name,
    isMarked,
    input: CommentInput,
    scope: (_, { subject }) => ({ account: ACCOUNT, kind: 'comment', action: 'create', subject }),
    execute: async ({ text }, { connection, subject }, key) => {
      const answer = await fetch(commentsOf(connection.options, subject.key), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text, marker: isMarked ? key : null }),
      });
      if (answer.status >= 400 && answer.status < 500) throw new ProviderFault(`the board said ${answer.status}`, 'permanent');
      if (!answer.ok) throw new Error(`the board said ${answer.status}`);
      return { ids: idsOf((await answer.json()) as BoardComment) };
    },
  };
}

const reader: EffectReader<BoardConnection> = {
  find: async ({ connection, scope, marker, isInput }) => {
    const answer = await fetch(commentsOf(connection.options, scope.subject?.key ?? ''));
    const found = ((await answer.json()) as BoardComment[]).find((each) =>
      marker === null ? isInput({ text: each.text }) : each.marker === marker,
    );
    return found ? { ids: idsOf(found) } : 'absent';
  },
};

function commentsOf({ apiUrl }: OutboundBinding<BoardConnection>['connection']['options'], issue: string): string {
  return `${apiUrl}/issues/${issue}/comments`;
}

@Injectable()
export class BoardProvider implements Provider<BoardConnection> {
  readonly transports = [new BoardWebhook()];
  readonly subjects = new BoardSubjects();
  readonly tools = [commentTool('comment', false), commentTool('marked_comment', true)];
  readonly effects = reader;
}

@Module({})
export class BoardModule {}

export default definePlugin({ name: 'board', apiVersion: 1, options: BoardConnection, module: BoardModule, provider: BoardProvider });
