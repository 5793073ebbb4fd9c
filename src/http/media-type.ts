export type MediaType = 'json' | 'form' | 'other';

/** What a `content-type` header means to us. Parameters are passed over: JSON is UTF-8 whatever they say. */
export function mediaTypeOf(contentType: string | undefined): MediaType {
  const essence = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (essence === 'application/json' || /^application\/[\w!#$&^.-]+\+json$/.test(essence)) return 'json';
  return essence === 'application/x-www-form-urlencoded' ? 'form' : 'other';
}
