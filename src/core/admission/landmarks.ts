import type { Tx } from '../../database/tx.js';
import type { Landmark, Parsed } from '../../plugin/index.js';
import { type SubjectKey, saveLandmark, subjectAt, subjectText } from '../subjects/subjects.js';
import type { AdmissibleEvent, Fresh } from './plan-admission.js';
import type { World } from './world.js';

const LONGEST_NAME = 255;

/** The event may wake an agent, and says only where its subject stands. */
export function isUnnamed({ kind, subject, landmark }: Parsed): boolean {
  return kind === 'prompt' && subject === null && landmark !== undefined && isLandmark(landmark);
}

/** The event with the subject that it is about, where exactly one open subject stands at its landmark. */
export async function locate(tx: Tx, event: AdmissibleEvent): Promise<AdmissibleEvent> {
  const { landmark } = event.parsed;
  const subject = landmark === undefined ? null : await subjectAt(tx, event.org, landmark);
  return subject === null ? event : { ...event, parsed: { ...event.parsed, subject } };
}

/** Writes where the subjects of these admissions stand from now on. An event that is older than what is known of its subject says nothing. */
export async function saveLandmarks(tx: Tx, world: World, fresh: readonly Fresh[]): Promise<void> {
  const latest = new Map(fresh.flatMap((each) => standsAt(world, each) ?? []).map((each) => [subjectText(each.subject), each]));
  for (const { subject, name } of latest.values()) await saveLandmark(tx, subject, name);
}

function standsAt(
  world: World,
  { admission: { subject, observation, event } }: Fresh,
): { readonly subject: SubjectKey; readonly name: string | null } | null {
  const { landmark } = event.parsed;
  if (subject === null || observation === null || landmark === undefined || !isLandmark(landmark)) return null;
  const about = { ...subject, org: event.org };
  const { state, revision } = world.lifeOf(about);
  const isOld = revision !== null && (observation.revision === null || observation.revision < revision);
  if (isOld) return null;
  return { subject: about, name: state === 'terminal' ? null : landmark.name };
}

function isLandmark({ name }: Landmark): boolean {
  return name !== '' && [...name].length <= LONGEST_NAME && !name.includes('\0') && name.isWellFormed();
}
