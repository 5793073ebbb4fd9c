import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderFault } from 'throughline/plugin';
import { attachmentsOf, GithubAttachments } from '../../../plugins/github/github.attachments.js';
import type { Answer } from '../../fakes/fault-server.js';
import { GithubServer } from '../../fakes/github/github-server.js';
import { connected } from './github.writing.js';

const UUID = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';
const IMAGE = `https://github.com/user-attachments/assets/${UUID}`;
const REFERENCE = { reference: `1/issues/comments/7/${UUID}`, name: 'image' };
const signal = new AbortController().signal;

describe('an image at GitHub', () => {
  let github: GithubServer;
  const attachments = new GithubAttachments();
  const html = (body_html: string): Answer => ({ status: 200, body: { id: 7, body_html } });

  beforeEach(async () => {
    github = await GithubServer.start();
  });
  afterEach(() => github.close());

  it('TRN-11 is what was uploaded into an issue, a pull request or a comment, once', () => {
    const payload = { repository: { id: 1 } };
    const body = `![a](${IMAGE}) <img src="${IMAGE}"> https://github.com/user-attachments/files/1/log.txt https://example.com/${UUID}`;
    const of = (event: string, source: object) => attachmentsOf(event, payload, source).attachments?.map(({ reference }) => reference);
    expect(of('issues', { id: 9, number: 12, body })).toEqual([`1/issues/12/${UUID}`]);
    expect(of('pull_request', { id: 9, number: 12, body })).toEqual([`1/issues/12/${UUID}`]);
    expect(of('issue_comment', { id: 7, body })).toEqual([`1/issues/comments/7/${UUID}`]);
    expect(of('pull_request_review_comment', { id: 7, body })).toEqual([`1/pulls/comments/7/${UUID}`]);
    expect(of('discussion_comment', { id: 7, body })).toBeUndefined();
    expect(of('toString', { id: 7, body })).toBeUndefined();
    expect(of('issue_comment', { id: 7, body: null })).toBeUndefined();
  });

  it('TRN-11 is fetched from the address that GitHub signs for it, without a token', async () => {
    const signed = `https://private-user-images.githubusercontent.com/1/2-${UUID}.png?jwt=a.b&amp;x=1`;
    github.once(({ path }) => path.includes('/issues/comments/7'), html(`<a href="${signed}"><img src="${signed}"></a>`));
    expect(await attachments.locate(REFERENCE, connected(github), signal)).toEqual({
      url: signed.replace('&amp;', '&'),
      origins: ['https://private-user-images.githubusercontent.com'],
    });
    expect(github.calls.at(-1)).toMatchObject({ method: 'GET', headers: { accept: 'application/vnd.github.full+json' } });
  });

  it('TRN-11 that is gone, forbidden or none says so', async () => {
    const fails = (reference = REFERENCE) => attachments.locate(reference, connected(github), signal).catch((error: unknown) => error);
    expect(await fails()).toMatchObject({ message: expect.stringContaining('404') });
    github.once(() => true, html(`<a href="https://example.com/${UUID}">`));
    expect(await fails()).toMatchObject({ message: 'GitHub does not show the image in the text any more' });
    expect(await fails({ reference: '../../user', name: 'x' })).toBeInstanceOf(ProviderFault);
  });
});
