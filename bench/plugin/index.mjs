// A plugin of one runtime: `echo`, with a journal of when it began and ended on what. It knows the product as any plugin does.
import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION } from 'throughline/plugin';
import { Recorder } from '../measure/recorder.mjs';

class Options {}

class JournalledEcho {
  #recorder;

  constructor({ journal }) {
    this.#recorder = new Recorder(journal);
  }

  async *startTurn({ turn }, signal) {
    signal.throwIfAborted();
    const texts = turn.messages.map(({ text }) => text);
    const number = this.#recorder.begin(texts);
    yield { type: 'text', text: texts.join('\n') };
    this.#recorder.end(number);
  }
}

class BenchProvider {
  transports = [];
  subjects = { parse: () => ({ kind: 'recorded', reason: 'no_events', subject: null }) };
  runtimes = { 'journalled-echo': (options) => new JournalledEcho(options) };
}
Injectable()(BenchProvider);

class BenchModule {}
Module({ providers: [BenchProvider], exports: [BenchProvider] })(BenchModule);

export default definePlugin({
  name: 'bench',
  apiVersion: PLUGIN_API_VERSION,
  options: Options,
  module: BenchModule,
  provider: BenchProvider,
});
