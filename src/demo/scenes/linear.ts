import { ended, ignored, repeated, routed, type Scene, type Step } from '../script.js';

const COMPLETED = '2026-01-02T09:30:00.000Z';

function linear(id: string, fixture: string, details: Pick<Step, 'about' | 'expect'> & Partial<Step>): Step {
  return { id, source: 'linear', fixture: `linear/constructed/${fixture}.json`, ...details };
}

export const oneLife: Scene = {
  title: 'The life of a Linear issue',
  about: 'Done ends the conversation, by the type of the state and not by its name. Later comments wake nobody.',
  steps: [
    linear('linear-comment', 'comment.create', { about: 'comment', expect: routed('linear issue', 1) }),
    linear('linear-started', 'issue.update.state-started', { about: 'moved to In Progress', expect: routed('linear issue', 2) }),
    linear('linear-retry', 'comment.create', {
      about: 'Linear tries again',
      deliveredAs: 'linear-comment',
      expect: repeated('linear issue', 1),
    }),
    linear('linear-done', 'issue.update.state-completed', {
      about: 'moved to Done',
      changes: { 'data.updatedAt': COMPLETED, 'data.completedAt': COMPLETED, createdAt: COMPLETED },
      afterRest: true,
      expect: ended('linear issue', 3, 'completed'),
    }),
    linear('linear-afterword', 'comment.create.reply', { about: 'comment after Done', expect: ignored('terminal') }),
  ],
};
