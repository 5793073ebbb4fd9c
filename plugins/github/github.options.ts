import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsUrl, Matches, Max, MaxLength, Min, ValidateNested } from 'class-validator';

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
