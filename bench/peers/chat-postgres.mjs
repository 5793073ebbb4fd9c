import { createPostgresState } from '@chat-adapter/state-pg';
import { startChat } from './chat.mjs';

export const start = (options) => startChat(createPostgresState({ url: options.url }), options);
