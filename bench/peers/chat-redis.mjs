import { createIoRedisState } from '@chat-adapter/state-ioredis';
import { startChat } from './chat.mjs';

export const start = (options) => startChat(createIoRedisState({ url: options.url }), options);
