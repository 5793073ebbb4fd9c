import { describe, expect, it } from '@jest/globals';
import { ProviderFault } from 'throughline/plugin';
import { attachmentsOf, LinearAttachments } from '../../../plugins/linear/linear.attachments.js';
import { connection, linearFixture, parse } from './linear.requests.js';

const UPLOAD = 'https://uploads.linear.app/dc844923/0b6f2c3e/9d0a5f3e';

describe('a file at Linear', () => {
  it('TRN-11 is a link to what was uploaded, wherever it stands in the Markdown, and once', () => {
    const text = `See ![screen.png](${UPLOAD}) and [the log](${UPLOAD}2), again ![](${UPLOAD}), not [this](https://example.com/x) or ${UPLOAD}3.`;
    expect(attachmentsOf(text, {})).toEqual({
      attachments: [
        { reference: UPLOAD, name: 'screen.png' },
        { reference: `${UPLOAD}2`, name: 'the log' },
      ],
    });
    expect(attachmentsOf(`![](${UPLOAD})`, {})).toEqual({ attachments: [{ reference: UPLOAD, name: '9d0a5f3e' }] });
    expect(attachmentsOf('nothing [here]() or ](', {})).toEqual({});
  });

  it('TRN-11 is none that only looks like it', () => {
    const others = ['https://uploads.linear.app.example.com/x', 'https://uploads.linear.app@example.com/x', 'http://uploads.linear.app/x'];
    for (const url of [...others, 'https://user:pass@uploads.linear.app/x']) expect(attachmentsOf(`![x](${url})`, {})).toEqual({});
  });

  it('ING-4 is looked for in bounded time, whatever the text holds', () => {
    const begun = performance.now();
    for (const part of ['](http://', '[', '![](https://uploads.linear.app/', `![x](${UPLOAD})`])
      attachmentsOf(part.repeat(Math.ceil(500_000 / part.length)), {});
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('TRN-11 comes with comments, issues and what is said to the agent', () => {
    const comment = linearFixture('comment.create');
    const with_ = { ...comment, data: { ...(comment.data as object), body: `look ![a](${UPLOAD})` } };
    expect(parse(with_)).toMatchObject({ kind: 'prompt', attachments: [{ reference: UPLOAD, name: 'a' }] });
    expect(parse(comment)).not.toHaveProperty('attachments');
  });

  it('TRN-11 is asked for with the token as Linear wants it, and comes from Linear alone', async () => {
    const locate = (token?: string, reference = UPLOAD) =>
      new LinearAttachments().locate({ reference, name: 'a' }, connection(token === undefined ? {} : { token }));
    const origins = ['https://uploads.linear.app'];
    expect(await locate('lin_api_1')).toEqual({ url: UPLOAD, headers: { authorization: 'lin_api_1' }, origins });
    expect(await locate('lin_oauth_1')).toMatchObject({ headers: { authorization: 'Bearer lin_oauth_1' } });
    await expect(locate()).rejects.toBeInstanceOf(ProviderFault);
    await expect(locate('lin_api_1', 'https://example.com/x')).rejects.toThrow('it was not uploaded to Linear');
  });
});
