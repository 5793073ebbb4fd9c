import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderFault } from 'throughline/plugin';
import { SlackAttachments } from '../../../plugins/slack/slack.attachments.js';
import { isMethod, refusal, SlackServer } from '../../fakes/slack/slack-server.js';
import { connection, message, parse } from './slack.requests.js';

const signal = new AbortController().signal;
const attachments = new SlackAttachments();
const REFERENCE = { reference: 'F0001', name: 'plan.png' };

describe('a file at Slack', () => {
  let slack: SlackServer;
  const at = () => connection({ apiUrl: `${slack.url}/api/`, token: slack.token });

  beforeEach(async () => {
    slack = await SlackServer.start();
  });
  afterEach(() => slack.close());

  it('TRN-11 is known by its id, and one that Slack does not have is none', () => {
    const files = [
      { id: 'F0001', name: 'plan.png', mimetype: 'image/png', url_private: 'https://files.slack.com/x', size: 3 },
      { id: 'F0002', title: 'notes' },
      { id: 'F0003', mode: 'external', name: 'a sheet', url_private: 'https://docs.example.com/1' },
      { id: 'F0004', mode: 'tombstone' },
      { id: '../F', name: 'x' },
      {},
      7,
    ];
    expect(parse(message({ subtype: 'file_share', text: 'look', files }))).toMatchObject({
      kind: 'prompt',
      attachments: [
        { reference: 'F0001', name: 'plan.png', mime: 'image/png' },
        { reference: 'F0002', name: 'notes' },
      ],
    });
    const many = Array.from({ length: 50 }, (_, i) => ({ id: `F${i}` }));
    expect(parse(message({ files: many }))).toHaveProperty('attachments.length', 20);
    expect(parse(message({}))).not.toHaveProperty('attachments');
  });

  it('TRN-11 is asked for where `files.info` says, with the token of the bot, and comes from Slack alone', async () => {
    slack.files.set('F0001', { url_private: 'https://files.slack.com/files-pri/T0001-F0001/plan.png', size: 3, mimetype: 'image/png' });
    expect(await attachments.locate(REFERENCE, at(), signal)).toEqual({
      url: 'https://files.slack.com/files-pri/T0001-F0001/plan.png',
      headers: { authorization: `Bearer ${slack.token}` },
      origins: ['https://files.slack.com', slack.url],
      ...{ size: 3, mime: 'image/png' },
    });
    slack.files.set('F0001', { url_private: 'https://files.slack.com/a', url_private_download: 'https://files.slack.com/b' });
    expect(await attachments.locate(REFERENCE, at(), signal)).toMatchObject({ url: 'https://files.slack.com/b' });
  });

  it('TRN-11 that cannot be had says why, with what to do', async () => {
    const fails = (given = at()) => attachments.locate(REFERENCE, given, signal).catch((error: unknown) => error);
    expect(await fails()).toMatchObject({ kind: 'permanent', message: expect.stringContaining('file_not_found') });
    slack.once((call) => isMethod(call, 'files.info'), refusal('missing_scope', { needed: 'files:read' }));
    expect(await fails()).toMatchObject({ message: expect.stringContaining('add the scope files:read to the app') });
    slack.files.set('F0001', {});
    expect(await fails()).toMatchObject({ message: 'Slack gives no address of the file' });
    expect(await fails(connection({}))).toBeInstanceOf(ProviderFault);
  });
});
