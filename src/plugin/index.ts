export type { AttachmentPlace, AttachmentReference, AttachmentSource } from './attachment.js';
export type {
  ClaimedDelivery,
  DeliveryConversation,
  DeliveryIdentity,
  Preparer,
  TrustedContext,
  TrustedProcessor,
} from './claimed-delivery.js';
export type { Connection } from './connection.js';
export {
  type Acknowledged,
  ChannelFault,
  type ChannelState,
  CONTROL_COMMANDS,
  type ControlAction,
  type ControlButton,
  type ControlChannel,
  type ControlCommand,
  type ControlLimits,
  type ControlPost,
  type ControlThread,
  type ReplyHandle,
  type WantedThread,
} from './control.js';
export { definePlugin, type Endpoint, PLUGIN_API_VERSION, type PluginDefinition } from './define-plugin.js';
export type {
  CallbackEvidence,
  EffectReader,
  EffectScope,
  Evidence,
  EvidenceIds,
  OutboundBinding,
  OutboundTool,
  ReadTool,
  UnknownEffect,
} from './effect.js';
export { ConfigFault, Conflict, DomainError, type Fault, InvalidInput, NotFound, OutcomeUnknown, ProviderFault } from './errors.js';
export { compileExpression, type Expression, expressionFault, isTruthy } from './expressions/expression.js';
export { type Fields, fields, known, list, whole, word } from './json.js';
export type { LifecycleHandler, Settlement, SettlementFence } from './lifecycle-handler.js';
export type {
  Action,
  AuthenticEvent,
  Edit,
  Ignored,
  Landmark,
  Lifecycle,
  Parsed,
  Prompt,
  Recorded,
  SubjectParser,
  Withdrawal,
} from './parsed.js';
export type { Provider } from './provider.js';
export type { ProviderEvent } from './provider-event.js';
export {
  type AgentRuntime,
  type ApprovalDecision,
  type ApprovalRequest,
  type TurnAttachment,
  type TurnEvent,
  TurnFailed,
  type TurnInput,
  type TurnMessage,
} from './runtime.js';
export type { SignatureAlgorithm, SignatureScheme, SignatureVerdict, SignatureVerifier, UnverifiedRequest } from './signature.js';
export { schemeFrom } from './signatures/scheme-from.js';
export type {
  Backfill,
  BackfillProgress,
  EventSink,
  Page,
  PollTransport,
  StreamSink,
  StreamTransport,
  Transport,
} from './source.js';
export { type Author, instantRevision, type Observation, type Subject } from './subject.js';
export type { Task, TaskRequest, TaskState, TaskStep, Tasks } from './task.js';
export type { TaskDesk } from './task-desk.js';
export type { AcceptResult, Headers, Reply, VerifiedRequest, WebhookTransport } from './transport.js';
export type { ReadState, Verdict } from './verdict.js';
