import type { FastifyRequest } from 'fastify';
import type { Told } from '../../core/webhooks/webhook-desk.js';

import type { Webhook } from '../../core/webhooks/webhooks.js';
import { publicOrigin } from '../../http/public-url.js';
import { DEFAULT_SCHEME, schemeOf } from '../../ingress/webhooks/webhook-scheme.js';
import { schemeFrom } from '../../plugin/index.js';
import { presets } from '../../plugin/signatures/presets.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { PresetDto, ToldWebhookDto, WebhookDto } from './webhook.dto.js';

export interface Shown {
  readonly webhook: Webhook;
  /** Until when each of its secrets is good, newest first. */
  readonly untils: readonly (number | null)[];
}

export function toWebhook({ webhook, untils }: Shown, request: FastifyRequest): WebhookDto {
  const { id, org, name, source, isEnabled, settings, createdAt, updatedAt } = webhook;
  const { signature_scheme = DEFAULT_SCHEME, signature_header: _, event_id_header = null, event_key_expr = null, ...rest } = settings;
  return {
    ...{ id, org, name, source, webhook_url: webhookUrl(request, webhook), enabled: isEnabled },
    ...{ signature_scheme, signature_header: schemeOf(settings).signature.header, event_id_header, event_key_expr, settings: rest },
    old_secret_until: instantOrNull(untils[1] ?? null),
    ...{ created_at: instant(createdAt), updated_at: instant(updatedAt) },
  };
}

export function toTold({ webhook, secret }: Told, untils: readonly (number | null)[], request: FastifyRequest): ToldWebhookDto {
  return { ...toWebhook({ webhook, untils }, request), webhook_secret: secret };
}

export function webhookUrl(request: FastifyRequest, { org, source }: Pick<Webhook, 'org' | 'source'>): string {
  return `${publicOrigin(request)}/v1/events/${encodeURIComponent(org)}/${source}`;
}

export function presetList(): PresetDto[] {
  return Object.keys(presets).map((name) => {
    const { algorithm, signature, content, timestamp } = schemeFrom(name);
    const signs = algorithm !== 'token' && algorithm !== 'basic';
    return { name, algorithm, header: signature.header, content: signs ? (content ?? '{body}') : null, is_timed: timestamp !== undefined };
  });
}
