const UPLOAD = /^upload:\/\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What a shell would take for more than words. */
const SHELL = /[;&|`$(){}<>!\\\n\r]/;

/** Why a tarball cannot be had from there, or null. */
export function tarballFault(place: string): string | null {
  if (UPLOAD.test(place)) return null;
  const isAddress = place.startsWith('https://') && URL.canParse(place);
  return isAddress ? null : 'must be `upload://<id>` of an upload, or an `https://` address';
}

/** Why a command cannot be an entrypoint, or null. It is started without a shell, in the folder of the tarball's files. */
export function entrypointFault(command: string): string | null {
  if (SHELL.test(command)) return 'must be a plain command, without any of ; & | ` $ ( ) { } < > ! \\ and line breaks';
  const [program = '', ...others] = command.trim().split(/\s+/);
  if (program.startsWith('/')) return 'must be relative to the files of the tarball';
  return [program, ...others].some((word) => word.split('/').includes('..'))
    ? 'must not lead out of the files of the tarball: it has `..`'
    : null;
}

/** The id of the upload that a tarball is; null: it lies elsewhere. */
export function uploadOf(place: string): string | null {
  return UPLOAD.test(place) ? place.slice('upload://'.length) : null;
}
