export { Chat, type ChatMessage, type ChatThread, type Trouble } from './chat.js';
export { ChatChannel } from './chat-channel.js';
