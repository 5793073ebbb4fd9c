import { IsOptional, IsUrl, Matches } from 'class-validator';

/** What a Slack connection has beside the host's own keys. */
export class SlackConnection {
  /** Base URL of Slack's Web API, where it is not the public one (a proxy, a test server). */
  @IsOptional()
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false },
    { message: 'apiUrl must be an http(s) URL, for example https://slack.com/api/' },
  )
  readonly apiUrl?: string;

  /** Bot token of the app, for showing threads: posting, editing, reacting. Receiving events does not need it. */
  @IsOptional()
  @Matches(/^(xoxe\.)?xoxb-[\w-]{1,500}$/, {
    message: 'token must be the Bot User OAuth Token of the app, which begins with xoxb- (OAuth & Permissions)',
  })
  readonly token?: string;

  /** App-level token of the app: its events come over a socket that this server opens, and nothing has to be reachable from outside. */
  @IsOptional()
  @Matches(/^xapp-[\w-]{1,500}$/, {
    message: 'appToken must be an App-Level Token with the scope connections:write, which begins with xapp- (Basic Information)',
  })
  readonly appToken?: string;

  /** Id of our own app. Messages posted by it are our own; so are those of the app that an event is addressed to. */
  @IsOptional()
  @Matches(/^A[A-Z0-9]+$/, {
    message: 'appId must be the App ID of the app, for example A0123456789 (Basic Information › App Credentials)',
  })
  readonly appId?: string;

  /** Id of our own bot user. Messages of this user are our own. */
  @IsOptional()
  @Matches(/^[UW][A-Z0-9]+$/, {
    message: 'botUserId must be the id of the bot user, for example U0123456789 (`user_id` in the answer of auth.test)',
  })
  readonly botUserId?: string;
}
