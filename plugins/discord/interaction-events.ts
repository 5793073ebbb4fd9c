import { type ControlAction, instantRevision, type Parsed } from 'throughline/plugin';
import { userOf } from './author.js';
import { actionOf, decisionOf, isCommand } from './custom-id.js';
import { type Fields, fields, list, snowflake, word } from './json.js';
import { aboutPlace, placeOf } from './place.js';
import { instantOf } from './snowflake.js';

const COMMAND = 2;
const COMPONENT = 3;
const LONGEST_TOKEN = 1_500;

/** A button that was pressed, or a command that was given: the same body over the gateway and over HTTP. */
export function parseInteraction(interaction: Fields): Parsed | undefined {
  const [id, member] = [snowflake(interaction.id), fields(interaction.member)];
  const place = placeOf(interaction.guild_id, interaction.channel_id);
  const author = userOf(fields(member?.user), member);
  const [application, token] = [snowflake(interaction.application_id), word(interaction.token)];
  if (!id || !place || !author || !application || !token || token.length > LONGEST_TOKEN) return undefined;
  const about = { ...aboutPlace(place, instantRevision(instantOf(id)) ?? undefined), author };
  const action = wantedBy(interaction);
  if (action === undefined) return { ...about, kind: 'recorded', reason: 'unknown_interaction' };
  return { ...about, kind: 'action', action, reply: { application, token } };
}

/** `interaction.button`, `interaction.command`; others by the number of their type. */
export function interactionKey(interaction: Fields): string {
  const { type } = interaction;
  if (type === COMPONENT) return 'interaction.button';
  if (type === COMMAND) return 'interaction.command';
  return typeof type === 'number' && Number.isSafeInteger(type) ? `interaction.${type}` : 'interaction.unknown';
}

function wantedBy({ type, data }: Fields): ControlAction | undefined {
  if (type === COMPONENT) return actionOf(fields(data)?.custom_id);
  return type === COMMAND ? commandOf(fields(data)) : undefined;
}

function commandOf(data: Fields | undefined): ControlAction | undefined {
  const options = new Map(list(data?.options).map(({ name, value }) => [name, value]));
  const name = data?.name;
  if (name === 'approve' || name === 'deny') return decisionOf(name, options.get('approval'), word(options.get('reason')));
  const argument = word(options.get('argument'));
  return isCommand(name) ? { type: 'command', name, ...(argument === undefined ? {} : { argument }) } : undefined;
}
