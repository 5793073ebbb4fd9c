import 'reflect-metadata';
import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { validateOptions } from '../config/validate-options.js';
import type { Connection, PluginDefinition, Provider } from '../plugin/index.js';
import { PluginHostModule } from '../plugin-host/plugin-host.module.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { assertSame } from './assert-same.js';
import type { ProviderSamples, Stage } from './samples.js';

/** A plugin with its provider made as the host makes it, and connections of it. */
export class UnderTest {
  private made: Promise<Provider> | null = null;

  constructor(
    readonly plugin: PluginDefinition,
    readonly samples: ProviderSamples,
  ) {}

  /** One instance serves all connections, as in the host. */
  provider(): Promise<Provider> {
    this.made ??= makeProvider(this.plugin);
    return this.made;
  }

  connection(options: object = this.samples.options ?? {}): Connection {
    const checked = validateOptions(this.plugin.options, { ...options }, 'options');
    assertSame(checked.faults, [], 'the options of the samples must be right');
    const { secrets = [] } = this.samples;
    return { name: 'sample', org: 'default', source: 'public', secrets, options: checked.options };
  }

  /** Runs with a provider to talk to, and its connection. */
  async onStage<Result>(work: (connection: Connection, stage: Stage) => Promise<Result>): Promise<Result> {
    const { stage: open } = this.samples;
    assert(open, 'samples.stage is needed: a server that plays the provider');
    const stage = await open();
    try {
      return await work(this.connection(stage.options), stage);
    } finally {
      await stage.close();
    }
  }
}

async function makeProvider(plugin: PluginDefinition): Promise<Provider> {
  const context = await NestFactory.createApplicationContext(PluginHostModule.using([plugin]), { logger: false, abortOnError: false });
  return context.get(PluginRegistry).get(plugin.name);
}
