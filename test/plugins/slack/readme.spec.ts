import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { KINDS } from '../../../plugins/slack/installation.js';

const read = (name: string) => readFileSync(new URL(`../../../plugins/slack/${name}`, import.meta.url), 'utf8');
const manifest = (name: string) => JSON.parse(read(`manifest.${name}.json`)) as Manifest;
const README = read('README.md');

/** Where events go, and how. */
const AWAY = /^(request_)?url$|^socket_mode_enabled$/;

describe('the manifests of the Slack app', () => {
  it('have the scopes that the README explains', () => {
    const table = README.slice(README.indexOf('| bot scope |')).split('\n\n')[0] ?? '';
    const explained = [...table.matchAll(/`([\w.]+:\w+|commands)`/g)].map(([, scope]) => scope);
    for (const name of ['socket', 'http']) expect(manifest(name).oauth_config.scopes.bot).toEqual(explained.toSorted());
  });

  it('ask for the messages of every kind of conversation whose history is asked for (REC-5)', () => {
    const { oauth_config, settings } = manifest('socket');
    for (const [, part] of KINDS) {
      expect(oauth_config.scopes.bot).toEqual(expect.arrayContaining([`${part}:read`, `${part}:history`]));
      expect(settings.event_subscriptions.bot_events).toContain(`message.${part}`);
    }
  });

  it('differ in the way alone by which events come', () => {
    const [socket, http] = [manifest('socket'), manifest('http')];
    expect([socket.settings.socket_mode_enabled, http.settings.socket_mode_enabled]).toEqual([true, false]);
    const urls = [http.settings.event_subscriptions, http.settings.interactivity, ...http.features.slash_commands];
    expect(urls.map(({ request_url, url }) => request_url ?? url)).toEqual(urls.map(() => 'https://YOUR-HOST/v1/events/default/slack'));
    const bare = (text: string) => JSON.parse(text, (key, value: unknown) => (AWAY.test(key) ? undefined : value)) as unknown;
    expect(bare(read('manifest.http.json'))).toEqual(bare(read('manifest.socket.json')));
  });
});

interface Address {
  readonly request_url?: string;
  readonly url?: string;
}

interface Manifest {
  readonly features: { readonly slash_commands: readonly Address[] };
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: {
    readonly event_subscriptions: Address & { readonly bot_events: readonly string[] };
    readonly interactivity: Address;
    readonly socket_mode_enabled: boolean;
  };
}
