import { Injectable, type PipeTransform } from '@nestjs/common';
import { isApprovalId } from '../../core/approvals/approval.js';
import { ID_PATTERN, isConversationId } from '../../core/conversations/conversation-id.js';
import { parseDeliveryId } from '../../core/deliveries/delivery.js';
import { NotFound } from '../../plugin/index.js';

const UUID = new RegExp(`^${ID_PATTERN}$`);
const NUMBER = /^[1-9]\d{0,14}$/;

export function isUuid(id: string): boolean {
  return UUID.test(id);
}

// What cannot be an id is answered like one that does not exist; the database never sees it.

@Injectable()
export class ConversationIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!isConversationId(id)) throw new NotFound('There is no such conversation.');
    return id;
  }
}

@Injectable()
export class DeliveryIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (parseDeliveryId(id) === null) throw new NotFound('There is no such delivery.');
    return id;
  }
}

@Injectable()
export class EffectIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw new NotFound('There is no such effect.');
    return id;
  }
}

@Injectable()
export class AutomationIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw new NotFound('There is no such automation.');
    return id;
  }
}

@Injectable()
export class ApprovalIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!isApprovalId(id)) throw new NotFound('There is no such approval; it may have expired.');
    return id;
  }
}

@Injectable()
export class RunIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw new NotFound('There is no such run.');
    return id;
  }
}

@Injectable()
export class UploadIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw new NotFound('There is no such upload.');
    return id;
  }
}

@Injectable()
export class WebhookIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw new NotFound('There is no such webhook.');
    return id;
  }
}

@Injectable()
export class NumberIdPipe implements PipeTransform<string, number> {
  transform(id: string): number {
    if (!NUMBER.test(id)) throw new NotFound('There is nothing with this id.');
    return Number(id);
  }
}

/** Of what has versions: more than a column of 32 bits counts, nothing has. */
@Injectable()
export class VersionPipe implements PipeTransform<string, number> {
  transform(version: string): number {
    if (!/^[1-9]\d{0,8}$/.test(version)) throw new NotFound('There is no such version.');
    return Number(version);
  }
}
