/**
 * Reads packed objects by the installed git: a `git cat-file --batch` process stays open while a Hive is being read. It
 * costs a quarter of what isomorphic-git needs, which keeps whole packs in memory.
 */
import { isOid, type Oid } from "../../domain/names.ts";
import { Semaphore } from "../../disk/semaphore.ts";
import { gitEnvironment, startGit, type GitProcess } from "./installed-git.ts";

export interface FoundObject {
  readonly type: string;
  readonly content: Uint8Array;
}

export interface PackReader {
  /** An object; undefined when there is none. @throws GitUnavailable when this reader cannot be used. */
  readonly read: (oid: Oid) => Promise<FoundObject | undefined>;
  /** Whether the next object is read without waiting for anything, loose ones too. */
  readonly isOpen: boolean;
  /** To be called at the end of a series of reads: frees the process for other readers. */
  readonly release: () => void;
}

/** Git is not installed, is not run in that repository, or ended in the middle of an answer. */
export class GitUnavailable extends Error {}

/** Git ended before it answered, as it does at an object that is damaged: to all that was asked for at that time. */
export class ReaderEnded extends GitUnavailable {}

/** How long a process stays open after its last request, in milliseconds. */
const idleMs = 500;
/** The same while other readers wait for a process and its own reader may be between two requests. */
const pauseMs = 50;
/** Bounds the processes of all Hives together. */
const processes = new Semaphore(4);
/** The processes without a request to answer. */
const idle = new Set<BatchProcess>();

interface PendingRequest {
  readonly resolve: (found: FoundObject | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class CatFile implements PackReader {
  readonly #gitdir: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: Promise<BatchProcess> | undefined;
  #isOpen = false;
  /** Whether git was found missing on this machine. */
  #isMissing = false;

  /** @param env the whole environment of git. */
  constructor(gitdir: string, env: NodeJS.ProcessEnv = gitEnvironment) {
    this.#gitdir = gitdir;
    this.#env = env;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async read(oid: Oid): Promise<FoundObject | undefined> {
    if (this.#isMissing) throw new GitUnavailable("git is not installed");
    this.#process ??= this.#start();
    return (await this.#process).ask(oid);
  }

  release(): void {
    this.#process?.then(
      (batch) => batch.release(),
      // The readers were told about the failure.
      () => {},
    );
  }

  /** Starts a process as soon as the bound allows; the next request after its end starts another. */
  #start(): Promise<BatchProcess> {
    const forget = (): void => {
      this.#process = undefined;
      this.#isOpen = false;
    };
    const started = new Promise<BatchProcess>((resolve, reject) => {
      const run = async (): Promise<void> => {
        const git = await startGit(this.#gitdir, ["cat-file", "--batch"], { env: this.#env });
        this.#isMissing = git === undefined;
        if (git === undefined) throw new GitUnavailable("git is not installed");
        const batch = new BatchProcess(git, forget);
        this.#isOpen = true;
        resolve(batch);
        await batch.ended;
      };
      processes.run(run).catch((cause: unknown) => {
        forget();
        reject(new GitUnavailable("git cannot be started", { cause }));
      });
    });
    for (const batch of idle) batch.idle();
    return started;
  }
}

class BatchProcess {
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  readonly #git: GitProcess;
  readonly #requests: PendingRequest[] = [];
  readonly #parser = new BatchOutputParser();
  readonly #forget: () => void;
  #unsent = "";
  #isReleased = false;
  #isOpen = true;
  #idleTimer: NodeJS.Timeout | undefined;

  /** @param forget is called when the process takes no further requests. */
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
    for (const { reject } of this.#requests.splice(0)) reject(new ReaderEnded("git cat-file ended"));
  }

  ask(oid: Oid): Promise<FoundObject | undefined> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        reject(new ReaderEnded("git cat-file ended"));
        return;
      }
      this.#markBusy();
      this.#requests.push({ resolve, reject });
      // Requests of one tick are sent in one write.
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
      for (const found of this.#parser.add(chunk)) this.#requests.shift()?.resolve(found);
    } catch {
      this.#git.stop();
    }
    if (this.#isOpen && this.#requests.length === 0) this.idle();
  }

  #markBusy(): void {
    clearTimeout(this.#idleTimer);
    idle.delete(this);
    this.#isReleased = false;
    this.#git.keepAlive(true);
  }

  /** See {@link PackReader.release}. */
  release(): void {
    this.#isReleased = true;
    if (this.#isOpen && this.#requests.length === 0) this.idle();
  }

  /**
   * All requests are answered, and the process stays open for a while. If another reader waits for a process, this one
   * ends soon, and at once if it was released. Skep's own process may exit meanwhile, unless a reader waits.
   */
  idle(): void {
    const isWanted = processes.waiting > 0;
    if (isWanted && this.#isReleased) return this.#close();
    idle.add(this);
    this.#git.keepAlive(isWanted);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#close(), isWanted ? pauseMs : idleMs);
    if (!isWanted) this.#idleTimer.unref();
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#idleTimer);
    idle.delete(this);
    this.#forget();
    // Skep's own process must stay alive, because the end of this process starts the next one.
    this.#git.keepAlive(true);
    this.#git.stdin.end();
  }
}

/**
 * Parses the output of `git cat-file --batch`: for each object a line with name, type and size, then that many bytes
 * and a newline.
 */
class BatchOutputParser {
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
      if (!isOid(name)) throw new GitUnavailable("git cat-file printed something unexpected");
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
