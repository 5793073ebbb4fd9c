/** What a program reads while it works: the part of it that is needed here. */
export interface ProgramInput {
  write(text: string): Promise<void>;
  closeInput(): void;
}

/**
 * The input of a program that takes messages during a turn. What was given is kept: another start of the program, which the one before
 * had refused, gets all of it.
 */
export class OpenInput {
  private readonly given: string[] = [];
  private program: ProgramInput | null = null;
  private isOver = false;

  constructor(first: string) {
    this.given.push(first);
  }

  /** How many messages were given. */
  get count(): number {
    return this.given.length;
  }

  /** A start of the program. It may print before it reads, so nobody waits for that. */
  attach(program: ProgramInput): void {
    this.program = program;
    for (const text of this.given) void program.write(text);
  }

  /** False: nothing more is read. */
  async give(text: string): Promise<boolean> {
    if (this.isOver) return false;
    this.given.push(text);
    await this.program?.write(text);
    return true;
  }

  /** Nothing more comes; a program that has done all of it ends then. */
  close(): void {
    this.isOver = true;
    this.program?.closeInput();
  }
}
