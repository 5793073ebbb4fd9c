import { type Json, type Placed, Refusal, type RoomEvent, type World } from './world.js';

/** Who asks, and from which device. */
export interface Session {
  readonly user: string;
  readonly device: string;
}

interface Filter {
  readonly rooms?: readonly string[];
  readonly timeline?: { readonly limit?: number; readonly types?: readonly string[] };
}

const tokenOf = (at: number) => `s${at}`;

export function positionOf(token: string | null, otherwise: number): number {
  if (token === null) return otherwise;
  const at = /^s(\d+)(_d\d+)?$/.exec(token)?.[1];
  if (at === undefined) throw new Refusal(400, 'M_INVALID_PARAM', `${token} is no token`);
  return Number(at);
}

/** What a sync says of the rooms; null: nothing. `fewest`: how many events it tells at the most, whatever was asked for. */
export function syncRooms(world: World, session: Session, query: URLSearchParams, fewest: number): Json | null {
  const since = query.get('since');
  const from = positionOf(since, 0);
  const filter = (JSON.parse(query.get('filter') ?? '{}') as { room?: Filter }).room ?? {};
  const [join, leave]: [Json, Json] = [{}, {}];
  for (const room of world.rooms.values()) {
    if (filter.rooms && !filter.rooms.includes(room.id)) continue;
    const isIn = world.membership(room.id, session.user) === 'join';
    const news = room.timeline.filter(({ at }) => at > from);
    const told = { state: { events: [] }, timeline: timelineOf(news, filter, fewest, from, session) };
    if (isIn && (since === null || news.length > 0)) join[room.id] = told;
    if (!isIn && since !== null && news.some(({ event }) => isLeaving(event, session))) leave[room.id] = told;
  }
  const isQuiet = since !== null && Object.keys(join).length === 0 && Object.keys(leave).length === 0;
  return isQuiet ? null : { join, leave };
}

/** `/messages`: a page of a room's history. */
export function history(world: World, id: string, session: Session, query: URLSearchParams): Json {
  const [forward, limit] = [query.get('dir') === 'f', Number(query.get('limit') ?? 10)];
  const from = positionOf(query.get('from'), forward ? 0 : world.end);
  const to = positionOf(query.get('to'), forward ? world.end : 0);
  const types = (JSON.parse(query.get('filter') ?? '{}') as { types?: string[] }).types;
  const [low, high] = forward ? [from, to] : [to, from];
  const within = world.room(id).timeline.filter(({ at, event }) => at > low && at <= high && (types?.includes(event.type) ?? true));
  const ordered = forward ? within : [...within].reverse();
  const page = ordered.slice(0, limit);
  const last = page.at(-1);
  const end = ordered.length > limit && last ? { end: tokenOf(forward ? last.at : last.at - 1) } : {};
  return { start: tokenOf(from), chunk: page.map((placed) => shown(placed, session)), ...end };
}

/** An event as this device is shown it. */
export function shown({ event, by }: Placed, session: Session): Json {
  const own = by?.device === session.device ? { transaction_id: by.transaction } : {};
  return { ...event, unsigned: { age: Math.round(performance.now()), ...event.unsigned, ...own } };
}

function timelineOf(news: readonly Placed[], filter: Filter, fewest: number, from: number, session: Session): Json {
  const { types, limit = 10 } = filter.timeline ?? {};
  const wanted = news.filter(({ event }) => types?.includes(event.type) ?? true);
  const most = Math.min(limit, fewest);
  const told = wanted.slice(-most);
  const first = told[0];
  return {
    events: told.map((placed) => shown(placed, session)),
    limited: wanted.length > most,
    prev_batch: tokenOf(first ? first.at - 1 : from),
  };
}

function isLeaving({ type, state_key: key, content }: RoomEvent, { user }: Session): boolean {
  return type === 'm.room.member' && key === user && content.membership !== 'join';
}
