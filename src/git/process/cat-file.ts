/**
 * Objects from packs, read by the installed git: `git cat-file --batch` stays open while a Hive is being read, and
 * costs a quarter of what isomorphic-git needs, which keeps whole packs in memory.
 */
import { Socket } from "node:net";
import { isOid, type Oid } from "../../domain/names.ts";
import { isSystemError } from "../../disk/disk.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { spawnSilentGit, type SilentGit } from "./installed-git.ts";

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

/** How long a process that nobody asks anything stays, in milliseconds. */
const idleMs = 500;
/** The same while others wait for its place and its reader may be between two questions. */
const pauseMs = 50;
/** Processes at once, over all Hives. */
const processes = new Semaphore(4);
/** The processes that nobody asks anything. */
const idle = new Set<BatchProcess>();
/** Processes that were told to end and have not ended yet. */
let ending = 0;

/** Whether somebody waits for a place that no process is about to give up. */
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
      // Whoever asked was told.
      () => {},
    );
  }

  /** Starts a process as soon as there is room for one; the next question after its end starts another. */
  #start(): Promise<BatchProcess> {
    const forget = (): void => void (this.#process = undefined);
    const started = new Promise<BatchProcess>((resolve, reject) => {
      const run = async (): Promise<void> => {
        const batch = new BatchProcess(this.#gitdir, forget);
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
  readonly #child: SilentGit;
  readonly #questions: Question[] = [];
  readonly #answers = new AnswerParser();
  readonly #forget: () => void;
  #unsent = "";
  #hasEnded = false;
  #isReleased = false;
  #isOpen = true;
  #restTimer: NodeJS.Timeout | undefined;

  /** @param forget is called when no further question may be asked. */
  constructor(gitdir: string, forget: () => void) {
    this.#forget = forget;
    this.#child = spawnSilentGit(gitdir, ["cat-file", "--batch"]);
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#close();
        if (!this.#hasEnded) ending--;
        this.#hasEnded = true;
        for (const { reject } of this.#questions.splice(0)) reject(new GitUnavailable("git cat-file ended"));
        resolve();
      };
      this.#child.once("close", end).once("error", (error) => {
        if (isSystemError(error, "ENOENT")) isMissing = true;
        end();
      });
    });
    this.#child.stdin.on("error", () => this.#close());
    this.#child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
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
    if (this.#isOpen) this.#child.stdin.write(this.#unsent);
    this.#unsent = "";
  }

  #receive(chunk: Buffer): void {
    try {
      for (const found of this.#answers.add(chunk)) this.#questions.shift()?.resolve(found);
    } catch {
      this.#child.kill();
    }
    if (this.#isOpen && this.#questions.length === 0) this.rest();
  }

  #work(): void {
    clearTimeout(this.#restTimer);
    idle.delete(this);
    this.#isReleased = false;
    this.#keepUp(true);
  }

  /** See {@link PackReader.release}. */
  release(): void {
    this.#isReleased = true;
    if (this.#isOpen && this.#questions.length === 0) this.rest();
  }

  /**
   * Nobody asks anything: the process stays for a while. When others wait for its place it ends, at once if its reading
   * has come to its end. Our own process may end meanwhile, unless somebody waits.
   */
  rest(): void {
    const isWanted = isPlaceWanted();
    if (isWanted && this.#isReleased) {
      this.#close();
      return;
    }
    idle.add(this);
    this.#keepUp(isWanted);
    clearTimeout(this.#restTimer);
    const end = (): void => {
      // Another has given up its place first.
      if (isWanted && !isPlaceWanted()) this.rest();
      else this.#close();
    };
    this.#restTimer = setTimeout(end, isWanted ? pauseMs : idleMs);
    if (!isWanted) this.#restTimer.unref();
  }

  /** Whether our own process stays as long as this one does. */
  #keepUp(isWanted: boolean): void {
    const { stdin, stdout } = this.#child;
    for (const one of [this.#child, stdin, stdout]) {
      if (one === this.#child || one instanceof Socket) one[isWanted ? "ref" : "unref"]();
    }
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    ending++;
    clearTimeout(this.#restTimer);
    idle.delete(this);
    this.#forget();
    // Its end is waited for: those who come after it are called by it.
    this.#keepUp(true);
    this.#child.stdin.end();
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
