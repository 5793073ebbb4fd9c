import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { RateBudget } from './rate-budget.js';

@Module({})
export class IngressModule {
  /** `imports` export the providers of `EventSources`, `EventAdmission` and `DatabaseClock`. */
  static using(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: IngressModule, imports, controllers: [EventsController], providers: [RateBudget] };
  }
}
