import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { BearerGuard } from './access/bearer.guard.js';
import { Callers } from './access/callers.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { AutomationDryRunController } from './automations/automation-dry-run.controller.js';
import { AutomationStatesController } from './automations/automation-states.controller.js';
import { AutomationVersionsController } from './automations/automation-versions.controller.js';
import { AutomationsController } from './automations/automations.controller.js';
import { DispatchController } from './automations/dispatch.controller.js';
import { ValidateController } from './automations/validate.controller.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ControlsController } from './controls/controls.controller.js';
import { ActionsController } from './conversations/actions.controller.js';
import { AliasesController } from './conversations/aliases.controller.js';
import { ConversationStreams } from './conversations/conversation-streams.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { ConversationEventsController } from './conversations/events.controller.js';
import { HistoryController } from './conversations/history.controller.js';
import { PurgeController } from './conversations/purge.controller.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { EffectsController } from './effects/effects.controller.js';
import { HealthController } from './health/health.controller.js';
import { CapabilitiesController } from './host/capabilities.controller.js';
import { PluginsController, RoutesController } from './host/host.controllers.js';
import { LoadReader } from './metrics/load-reader.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsGuard } from './metrics/metrics.guard.js';
import { NoticesController } from './notices/notices.controller.js';
import { DryRunController } from './receipts/dry-run.controller.js';
import { ReceiptsController } from './receipts/receipts.controller.js';
import { RunReportsController } from './runs/run-reports.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { TokensController } from './tokens/tokens.controller.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { WebhookChecksController } from './webhooks/webhook-checks.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

const CONTROLLERS = [
  ConversationsController,
  HistoryController,
  ConversationEventsController,
  ActionsController,
  AliasesController,
  PurgeController,
  DeliveriesController,
  ReceiptsController,
  NoticesController,
  EffectsController,
  ControlsController,
  RunsController,
  RunReportsController,
  UploadsController,
  WebhooksController,
  WebhookChecksController,
  ApprovalsController,
  AutomationsController,
  AutomationStatesController,
  AutomationVersionsController,
  AutomationDryRunController,
  DispatchController,
  ValidateController,
  DryRunController,
  ConnectionsController,
  PluginsController,
  RoutesController,
  CapabilitiesController,
  AuditController,
  TokensController,
  HealthController,
  MetricsController,
];

@Module({})
export class AdminModule {
  /** `imports` export `Database`, `Signals`, `Admissions`, `Operations`, `EffectLedger`, `ApprovalDesk`, `AutomationDesk`, `AutomationWorld`, `RunDesk`, `RunReports`, `Uploads`, `WebhookDesk`, `WebhookRegistry`, and the providers of `EventSources`, `HostView`, `AdminAccess` and `Metrics`. */
  static using(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    const providers = [BearerGuard, MetricsGuard, LoadReader, Callers, ConversationStreams];
    return { module: AdminModule, imports, controllers: CONTROLLERS, providers };
  }
}
