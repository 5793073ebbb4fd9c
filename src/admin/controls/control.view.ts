import type { Binding } from '../../core/controls/bindings.js';
import type { ControlView } from '../../core/controls/list-controls.js';
import { instant } from '../http/instant.js';
import type { ControlDto, ListedControlDto } from './control.dto.js';

type Shown = Pick<Binding, 'connection' | 'parent' | 'thread' | 'title' | 'url' | 'state' | 'fault' | 'fault_message' | 'fault_at'>;

export function toControl({ connection, parent, thread, title, url, state, fault, fault_message, fault_at }: Shown): ControlDto {
  return {
    ...{ connection, parent, thread, title, url, state },
    fault: fault === null ? null : { state: fault, message: fault_message ?? '', since: instant(fault_at ?? 0) },
  };
}

export function toListedControl(view: ControlView): ListedControlDto {
  const { conversation, workspace, waiting, created_at } = view;
  return { conversation, ...toControl(view), workspace, waiting, created_at: instant(created_at) };
}
