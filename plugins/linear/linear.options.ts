import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsBoolean, IsOptional, IsUrl, IsUUID, Matches, ValidateNested } from 'class-validator';
import { IsBoard } from './board.options.js';
import { AreBoards, WorkBoard } from './work.options.js';

/** What a Linear connection has beside the host's own keys. */
export class LinearConnection {
  /** Base URL of Linear's API, where it is not the public one (a proxy, a test server). */
  @IsOptional()
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false },
    { message: 'apiUrl must be an http(s) URL, for example https://api.linear.app' },
  )
  readonly apiUrl?: string;

  /** Access token of the agent's OAuth application, or a personal API key (`lin_api_…`), for writing. Receiving webhooks does not need it. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,500}$/, { message: 'token must be an access token of an OAuth application or an API key of Linear' })
  readonly token?: string;

  /** Id of the workflow state in which agents propose work: creating an issue there is `ignored`, reason `proposal`. */
  @IsOptional()
  @IsUUID(undefined, { message: "proposalStateId must be the UUID of a workflow state, not the state's name" })
  readonly proposalStateId?: string;

  /** Id of our own app's user in the workspace. What this user does is marked as our own. */
  @IsOptional()
  @IsUUID(undefined, { message: "appUserId must be the UUID of the app's user (AgentSessionEvent bodies carry it as appUserId)" })
  readonly appUserId?: string;

  /** Id of our own OAuth application, the actor of what is done with `actor=app`. What it does is marked as our own. */
  @IsOptional()
  @IsUUID(undefined, {
    message: 'oauthClientId must be the UUID of the OAuth application (AgentSessionEvent bodies carry it as oauthClientId)',
  })
  readonly oauthClientId?: string;

  /** Id of the workspace at Linear. What another one sends is recorded, reason `other_organization`. */
  @IsOptional()
  @IsUUID(undefined, { message: 'organizationId must be the UUID of the workspace at Linear (every webhook body carries it)' })
  readonly organizationId?: string;

  /** The projects whose issues this connection is for, by id, each with the workspace of ours in which their conversations live. */
  @IsOptional()
  @IsBoard({ message: 'projects must be a map of UUIDs of projects to names of workspaces' })
  readonly projects?: Readonly<Record<string, string>>;

  /** Issues that changed are read every `interval`, to find ends whose webhooks never came. Default: true, where there is a `token`. */
  @IsOptional()
  @IsBoolean({ message: 'reconcile must be true or false' })
  readonly reconcile?: boolean;

  /** Boards by which people steer the work on issues, one for each team; needs `token`. Default: every change is a message. */
  @IsOptional()
  @AreBoards({ message: 'work must be a list of boards, each with states of its own, and needs `token`' })
  @ValidateNested({ each: true })
  @Type(() => WorkBoard)
  readonly work?: readonly WorkBoard[];
}
