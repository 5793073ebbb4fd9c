import { createMemoryState } from '@chat-adapter/state-memory';
import { startChat } from './chat.mjs';

export const start = (options) => startChat(createMemoryState(), options);
