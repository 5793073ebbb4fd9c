export type Json = Record<string, unknown>;

export type Permission = 'VIEW_CHANNEL' | 'SEND_MESSAGES' | 'CREATE_PUBLIC_THREADS' | 'MANAGE_THREADS' | 'ADD_REACTIONS';

export type Message = Json & { readonly id: string; content: string; edited_timestamp: string | null; components: unknown[]; author: Json };

export type Thread = Json & {
  readonly id: string;
  name: string;
  readonly owner_id: string;
  readonly parent_id: string;
  readonly thread_metadata: { archived: boolean; locked: boolean; archive_timestamp: string; auto_archive_duration: number };
};

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  readonly query: URLSearchParams;
}

/** What becomes of a request: done and answered, refused in Discord's words, done without an answer, done and never answered, or broken. */
export type Manner =
  | 'ok'
  | 'drop'
  | 'hang'
  | { readonly status: number; readonly code?: number; readonly headers?: Record<string, string> };
