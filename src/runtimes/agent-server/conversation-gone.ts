export { ConversationGone } from '../../core/runs/gone.js';
