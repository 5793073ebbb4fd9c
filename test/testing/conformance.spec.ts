import { readFileSync } from 'node:fs';
import { describe as nodeDescribe, it as nodeIt } from 'node:test';
import { describe, expect, it } from '@jest/globals';
import { providerConformance, type Runner } from 'throughline/testing';
import discord from '../../plugins/discord/index.js';
import github from '../../plugins/github/index.js';
import linear from '../../plugins/linear/index.js';
import matrix from '../../plugins/matrix/index.js';
import slack from '../../plugins/slack/index.js';
import webhook from '../../plugins/webhook/index.js';
import tickets from '../fakes/tickets/index.js';
import { samples as ticketSamples } from '../fakes/tickets/samples.js';
import { blocksOf } from '../readme-blocks.js';
import { discordSamples } from './samples/discord.js';
import { githubSamples } from './samples/github.js';
import { linearSamples } from './samples/linear.js';
import { matrixSamples } from './samples/matrix.js';
import { slackSamples } from './samples/slack.js';
import { cloudEventSamples, gitlabSamples, stripeSamples } from './samples/webhook.js';

providerConformance({ describe, it }, github, githubSamples);
providerConformance({ describe, it }, linear, linearSamples);
providerConformance({ describe, it }, matrix, matrixSamples);
providerConformance({ describe, it }, slack, slackSamples);
providerConformance({ describe, it }, discord, discordSamples);
describe('with the preset of Stripe', () => providerConformance({ describe, it }, webhook, stripeSamples));
describe('with the preset of GitLab', () => providerConformance({ describe, it }, webhook, gitlabSamples));
describe('with CloudEvents', () => providerConformance({ describe, it }, webhook, cloudEventSamples));
describe('as docs/plugins.md shows it', () => {
  providerConformance({ describe, it }, tickets, ticketSamples);

  it('is checked with the samples, and tested in a host, as the document has it word for word', () => {
    const blocks = blocksOf('docs/plugins.md').filter(({ language }) => language === 'ts');
    for (const name of ['samples.ts', 'host-test.ts']) {
      const file = new URL(`../fakes/tickets/${name}`, import.meta.url);
      expect(blocks.map(({ text }) => text)).toContain(readFileSync(file, 'utf8'));
    }
  });
});

describe('the frameworks of others', () => {
  it('have the two functions that are asked for', () => {
    // What the types of node:test allow is what the compiler is asked here; it is run by kit.spec.ts.
    const runner: Runner = { describe: nodeDescribe, it: nodeIt };
    expect(Object.keys(runner)).toEqual(['describe', 'it']);
  });
});
