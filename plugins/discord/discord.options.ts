import { IsOptional, IsString, IsUrl, Matches, ValidateIf } from 'class-validator';

/** What a Discord connection has beside the host's own keys. */
export class DiscordConnection {
  /** Token of the bot: the gateway, threads, backfill. A connection that only takes interactions over HTTP goes without. */
  @ValidateIf(({ token, publicKey }: DiscordConnection) => token !== undefined || publicKey === undefined)
  @IsString({ message: 'token is missing: set the token of the bot, for example { env: DISCORD_BOT_TOKEN } (Developer Portal › Bot)' })
  @Matches(/^[\x21-\x7e]+$/, { message: 'token must be the bare token of the bot, without spaces and without `Bot` before it' })
  readonly token?: string;

  /** Public key of the application: with it, interactions that Discord posts over HTTP are believed. */
  @IsOptional()
  @Matches(/^[0-9a-fA-F]{64}$/, {
    message: 'publicKey must be the Public Key of the application, 64 hexadecimal digits (Developer Portal › General Information)',
  })
  readonly publicKey?: string;

  /** Id of our own application. What it posts is our own. Default: the gateway tells it. */
  @IsOptional()
  @Matches(/^\d{15,20}$/, { message: 'applicationId must be the Application ID, digits alone (Developer Portal › General Information)' })
  readonly applicationId?: string;

  /** Base URL of Discord's API, where it is not the public one (a proxy, a test server). */
  @IsOptional()
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false },
    { message: 'apiUrl must be an http(s) URL, for example https://discord.com/api' },
  )
  readonly apiUrl?: string;
}
