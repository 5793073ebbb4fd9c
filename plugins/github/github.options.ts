import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsUrl, Matches, Max, MaxLength, Min, ValidateBy, ValidateNested } from 'class-validator';

const HOOK_NEEDS = 'hook needs `token` or `app` beside it, or nobody can ask for its deliveries';
const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100})?$/;

/** A webhook of a repository or an organisation, whose deliveries are looked through for those that failed. */
export class GithubHook {
  /** The number at the end of the address of its settings. */
  @IsInt({ message: 'id must be the number at the end of the address of the webhook’s settings' })
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id!: number;

  /** Where it was made: the repository `owner/name`, or the name of the organisation. */
  @Matches(OWNER, { message: 'owner must be the repository `owner/name` or the organisation that has the webhook' })
  owner!: string;
}

/** A GitHub App as which is written. */
export class GithubApp {
  /** "App ID" in its settings; what is done through it is our own doing. */
  @IsInt({ message: 'id must be the number that stands on the settings page of the app as "App ID"' })
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id!: number;

  /** Contents of the `.pem` file. */
  @Matches(/^-----BEGIN (RSA )?PRIVATE KEY-----/, {
    message: 'privateKey must be the contents of the .pem file that GitHub made for the app',
  })
  privateKey!: string;

  /** Default: looked up for each repository. */
  @IsOptional()
  @IsInt({ message: 'installation must be the number at the end of the address of the installation’s settings' })
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  installation?: number;

  /**
   * Does the webhook of the App itself post to this connection? Its deliveries are then looked through for those that failed. Default: told
   * by the address that they went to.
   */
  @IsOptional()
  @IsBoolean()
  webhook?: boolean;
}

/** What a connection to GitHub has beside the host's own keys. */
export class GithubConnection {
  /** The GitHub that sends: `github.com`, or the host name of a GitHub Enterprise Server. A part of every subject: choose once. */
  @Matches(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, {
    message: 'host must be a host name in lower case, without scheme, port or path, for example github.com',
  })
  @MaxLength(253)
  host: string = 'github.com';

  /** Base URL of the REST API. Default: that of `host`. */
  @IsOptional()
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: 'apiUrl must be an http or https address without credentials, for example https://api.github.com' },
  )
  apiUrl?: string;

  /** Token of an account as which is written: classic, or fine-grained with Issues and Pull requests: write. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,500}$/, { message: 'token must be a token of GitHub, without spaces' })
  token?: string;

  /** GitHub App as which is written, instead of a token. */
  @IsOptional()
  @ValidateNested()
  @Type(() => GithubApp)
  app?: GithubApp;

  /** The webhook that posts to this connection, where it is not that of the App. */
  @IsOptional()
  @ValidateBy({ name: 'canBeAsked', validator: { validate: (_, asked) => hasCredential(asked?.object) } }, { message: HOOK_NEEDS })
  @ValidateNested()
  @Type(() => GithubHook)
  hook?: GithubHook;

  /** Id of our own GitHub App: what is done through it is our own doing. */
  @IsOptional()
  @IsInt({ message: 'appId must be the number that stands on the settings page of the app as "App ID"' })
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  appId?: number;

  /** Id of the app's bot account (`<app>[bot]`), which no person can use: what it does is our own doing. */
  @IsOptional()
  @IsInt({ message: 'botUserId must be the number that the API answers as "id" for the account <app>[bot]' })
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  botUserId?: number;
}

function hasCredential(connection: object | undefined): boolean {
  const { token, app } = (connection ?? {}) as Partial<GithubConnection>;
  return token !== undefined || app !== undefined;
}
