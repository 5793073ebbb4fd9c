const LONGEST = 255;

/** The first id that there is, as the identity of a message; none when it is longer than the host keeps. */
export function messageKeyOf(id: string | undefined): { messageKey?: string } {
  return id !== undefined && id.length <= LONGEST ? { messageKey: id } : {};
}
