import { IsInt, IsOptional, IsUrl, Matches, Max, MaxLength, Min } from 'class-validator';

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
