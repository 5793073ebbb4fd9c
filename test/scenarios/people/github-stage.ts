import { GithubIssue } from './github-issue.js';
import {
  type Accepted,
  AFTERWARDS,
  askedFor,
  DECISION,
  type Door,
  GO_AHEAD,
  type Letter,
  type Moment,
  type Said,
  type Shown,
  type Stage,
  WORDS,
} from './stage.js';

/** An issue at GitHub that is its own thread: what is shown are comments in it. */
export class GithubStage implements Stage {
  readonly name = 'github';
  readonly source: string;
  readonly control: Stage['control'];
  /** Whoever GitHub says belongs to the repository. */
  readonly approver = null;
  readonly deleteThread = null;
  readonly strangersCommand = (text: string): Letter => this.issue.said(text, true);
  /** GitHub takes an edit of a comment every 15 seconds: what need not be edited is said at once. */
  readonly flags = ['--silent'];
  readonly edits = true;
  readonly questions = [/github\.github_comment/];
  readonly expected = [
    WORDS.first,
    GO_AHEAD,
    /^Approved by mona at github, and done: github\.github_comment .* at \[acme\/api#\d+\] Repair the scheduler$/,
    WORDS.silentSecond,
    /^\/approve [\w-]+$/,
    /^Approved: github\.github_comment/,
    WORDS.third,
    AFTERWARDS,
    'This conversation is closed at github; /reopen to continue.',
  ];

  private constructor(private readonly issue: GithubIssue) {
    this.source = issue.connection;
    this.control = { connection: issue.connection, parent: 'acme/api' };
  }

  static async start(number: number): Promise<GithubStage> {
    return new GithubStage(await GithubIssue.start('github', number));
  }

  get connections(): Record<string, object> {
    return this.issue.connections;
  }

  whispers(): null {
    return null;
  }

  outcomes(): null {
    return null;
  }

  open(door: Door): Promise<Accepted> {
    return this.issue.open(door);
  }

  close(door: Door): Promise<Accepted> {
    return this.issue.close(door);
  }

  say(door: Door, text: string): Promise<void> {
    return this.issue.say(door, text);
  }

  /** A comment has no buttons: it says what to write. */
  decide({ decision, isStranger, approval = askedFor(this.thread()) }: Said): Letter {
    return this.issue.said(`/${decision} ${approval}`, isStranger);
  }

  echo(door: Door): Promise<Accepted[]> {
    return this.issue.echo(door);
  }

  thread(): Shown[] {
    const comments = this.issue.comments().filter(({ isOfTool }) => !isOfTool);
    return comments.map(({ text, isOurs, isEdited }) => ({ by: isOurs ? 'agent' : 'mona', text, isEdited }));
  }

  threads(): number {
    return 1;
  }

  /** Issues are people's. */
  isArchived(): boolean {
    return true;
  }

  written(): string[] {
    return this.issue.written();
  }

  hold(moment: Moment): Promise<void> | null {
    switch (moment) {
      case 'output':
        return this.issue.holdPost((text) => !DECISION.test(text));
      case 'question':
        return this.issue.holdPost((text) => DECISION.test(text));
      case 'write':
        return this.issue.holdWrite();
      default:
        return null;
    }
  }

  stop(): Promise<void> {
    return this.issue.server.close();
  }
}
