/**
 * Objects from packs, read by the installed git: `git cat-file --batch` stays open while a Hive is being read, and
 * costs a quarter of what isomorphic-git needs, which keeps whole packs in memory.
 */
import { isOid, type Oid } from "../../domain/names.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { startGit, type GitProcess } from "./installed-git.ts";

export interface FoundObject {
  readonly type: string;
  readonly content: Uint8Array;
}

/** What reads objects that are not loose. */
export interface PackReader {
  /** An object; undefined when there is none. @throws GitUnavailable when this reader cannot be used. */
  readonly read: (oid: Oid) => Promise<FoundObject | undefined>;
  /** Says that a reading has come to its end: what it needed is for others now. */
  readonly release: () => void;
}

/** There is no git, it is not run in that repository, or it ended in the middle of an answer. */
export class GitUnavailable extends Error {}

/** How long a process stays after its last question, in milliseconds. */
const idleMs = 500;
/** The same while others wait for its place and its reader may be between two questions. */
const pauseMs = 50;
/** Processes at once, over all Hives. */
const processes = new Semaphore(4);
/** The processes without a question to answer. */
const idle = new Set<BatchProcess>();
/** Processes that were told to end and have not ended yet. */
let ending = 0;

/** Whether a reader waits for a place that no process is about to give up. */
function isPlaceWanted(): boolean {
  return processes.waiting > ending;
}

/** Whether there is no git on this machine. */
let isMissing = false;

interface Question {
  readonly resolve: (found: FoundObject | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class CatFile implements PackReader {
  readonly #gitdir: string;
  #process: Promise<BatchProcess> | undefined;

  constructor(gitdir: string) {
    this.#gitdir = gitdir;
  }

  async read(oid: Oid): Promise<FoundObject | undefined> {
    if (isMissing) throw new GitUnavailable("git is not installed");
    this.#process ??= this.#start();
    return (await this.#process).ask(oid);
  }

  release(): void {
    this.#process?.then(
      (batch) => batch.release(),
      // Those who asked were told.
      () => {},
    );
  }

  /** Starts a process as soon as there is room for one; the next question after its end starts another. */
  #start(): Promise<BatchProcess> {
    const forget = (): void => void (this.#process = undefined);
    const started = new Promise<BatchProcess>((resolve, reject) => {
      const run = async (): Promise<void> => {
        const git = await startGit(this.#gitdir, ["cat-file", "--batch"]);
        isMissing = git === undefined;
        if (git === undefined) throw new GitUnavailable("git is not installed");
        const batch = new BatchProcess(git, forget);
        resolve(batch);
        await batch.ended;
      };
      processes.run(run).catch((cause: unknown) => {
        forget();
        reject(new GitUnavailable("git cannot be started", { cause }));
      });
    });
    for (const batch of idle) batch.rest();
    return started;
  }
}

class BatchProcess {
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  readonly #git: GitProcess;
  readonly #questions: Question[] = [];
  readonly #answers = new AnswerParser();
  readonly #forget: () => void;
  #unsent = "";
  #isReleased = false;
  #isOpen = true;
  #restTimer: NodeJS.Timeout | undefined;

  /** @param forget is called when no further question may be asked. */
  constructor(git: GitProcess, forget: () => void) {
    this.#git = git;
    this.#forget = forget;
    this.ended = this.#end();
    git.stdin.on("error", () => this.#close());
    git.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
  }

  async #end(): Promise<void> {
    await this.#git.ended;
    this.#close();
    ending--;
    for (const { reject } of this.#questions.splice(0)) reject(new GitUnavailable("git cat-file ended"));
  }

  ask(oid: Oid): Promise<FoundObject | undefined> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        reject(new GitUnavailable("git cat-file ended"));
        return;
      }
      this.#work();
      this.#questions.push({ resolve, reject });
      // Questions of one moment go in one write.
      if (this.#unsent === "") queueMicrotask(() => this.#send());
      this.#unsent += `${oid}\n`;
    });
  }

  #send(): void {
    if (this.#isOpen) this.#git.stdin.write(this.#unsent);
    this.#unsent = "";
  }

  #receive(chunk: Buffer): void {
    try {
      for (const found of this.#answers.add(chunk)) this.#questions.shift()?.resolve(found);
    } catch {
      this.#git.stop();
    }
    if (this.#isOpen && this.#questions.length === 0) this.rest();
  }

  #work(): void {
    clearTimeout(this.#restTimer);
    idle.delete(this);
    this.#isReleased = false;
    this.#git.keepAlive(true);
  }

  /** See {@link PackReader.release}. */
  release(): void {
    this.#isReleased = true;
    if (this.#isOpen && this.#questions.length === 0) this.rest();
  }

  /**
   * All questions are answered: the process stays for a while. When another reader waits for its place it ends, at once
   * if its reading has come to its end. Our own process may end meanwhile, unless a reader waits.
   */
  rest(): void {
    const isWanted = isPlaceWanted();
    if (isWanted && this.#isReleased) {
      this.#close();
      return;
    }
    idle.add(this);
    this.#git.keepAlive(isWanted);
    clearTimeout(this.#restTimer);
    const end = (): void => {
      // Another has given up its place first.
      if (isWanted && !isPlaceWanted()) this.rest();
      else this.#close();
    };
    this.#restTimer = setTimeout(end, isWanted ? pauseMs : idleMs);
    if (!isWanted) this.#restTimer.unref();
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    ending++;
    clearTimeout(this.#restTimer);
    idle.delete(this);
    this.#forget();
    // Our own process must stay: the end of this one starts the next.
    this.#git.keepAlive(true);
    this.#git.stdin.end();
  }
}

/** Cuts git's answers out of its output: a line with name, type and size, then that many bytes and a newline. */
class AnswerParser {
  #chunks: Buffer[] = [];
  #length = 0;
  /** How many bytes the next step needs. */
  #needed = 1;

  *add(chunk: Buffer): Generator<FoundObject | undefined> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#needed = 1;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a)) {
      const [name = "", type = "", size = ""] = bytes.toString("latin1", 0, end).split(" ");
      if (!isOid(name)) throw new GitUnavailable("git cat-file answered something else");
      const length = type === "missing" ? 0 : end + 1 + Number(size) + 1;
      if (bytes.length < length) {
        this.#needed = length;
        break;
      }
      yield length === 0 ? undefined : { type, content: bytes.subarray(end + 1, length - 1) };
      bytes = bytes.subarray(length === 0 ? end + 1 : length);
    }
    this.#chunks = [bytes];
    this.#length = bytes.length;
  }
}
