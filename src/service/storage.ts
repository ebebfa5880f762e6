/** An opened storage folder, with everything that operations work on. */
import nodeFs from "node:fs";
import { join, resolve } from "node:path";
import { BackupFolder } from "../store/backup/backup-folder.ts";
import { BackupSource } from "../store/backup/backup-source.ts";
import { BareRepo } from "../git/bare-repo.ts";
import { CatFile, type PackReader } from "../git/process/cat-file.ts";
import type { Readable } from "node:stream";
import type { Disk } from "../disk/disk.ts";
import { DurableFs } from "../disk/durable-fs.ts";
import { fetchGit, type FetchGit } from "../git/process/git-fetch.ts";
import { networkFileSystem } from "../disk/network-disk.ts";
import { gitPush, type PushGit } from "../git/process/git-push.ts";
import { streamGit, type StreamGit } from "../git/process/git-stream.ts";
import { runGit, type RunGit } from "../git/process/installed-git.ts";
import { readContent, type ContentObjects, type LocaleContent } from "../store/content/content-objects.ts";
import { FoldedCache } from "../store/content/folded-cache.ts";
import { migrateSettings, type Migration } from "../store/migration/migrate-settings.ts";
import { HiveChanges } from "../store/hives/hive-changes.ts";
import { HiveLifecycle } from "../store/hives/hive-lifecycle.ts";
import { HiveStore } from "../store/hives/hive-store.ts";
import { HiveWriter } from "../store/hives/hive-writer.ts";
import type { HeldLock } from "../disk/held-lock.ts";
import { makeProbe } from "../store/verify/probe.ts";
import { Packer } from "../git/packs/packer.ts";
import { unpackGit, type UnpackGit } from "../git/packs/quarantine.ts";
import { Locks, type LockOptions, type LockPriority, type StoreObserver } from "../disk/locks/lock.ts";
import { leadsInto } from "../store/settings/mirror-path.ts";
import { MemoryBudget, type MemoryUsage } from "../disk/memory-budget.ts";
import { MirrorStore } from "../store/settings/mirrors.ts";
import { makeUploadPack, type UploadPack, type UploadPackRequest } from "../git/serve/upload-pack.ts";
import { FollowerFiles } from "../store/replication/follower-files.ts";
import { Replicated } from "../store/replication/replicated.ts";
import { ReplicationState } from "../store/replication/replication-state.ts";
import { PublicationStore } from "../store/settings/publications.ts";
import { Registry } from "../store/settings/registry.ts";
import { SessionKey } from "../store/settings/session-key.ts";
import { Restoration } from "../store/backup/restoration.ts";
import { locksFolder } from "../disk/storage-folder.ts";
import { WebhookStore } from "../store/settings/webhooks.ts";
import { TokenUse } from "../store/settings/token-use.ts";
import { Trash } from "../store/hives/trash.ts";
import { Verifier } from "../store/verify/verifier.ts";
import type { HiveSlug, TeamName } from "../domain/names.ts";
import type { AllowedNetworks, SendWebhook } from "./webhook-request.ts";
import { noLimits, type CountLimits } from "../domain/plans/quota.ts";

/** @param by whether this process or another one has made the commit. */
export type CommitListener = (slug: HiveSlug, by: "this" | "another") => void;

export interface Storage {
  /** How many Hives, tokens and so on callers may create; commands are not limited. */
  readonly limits: CountLimits;
  /** The folder, as an absolute path. */
  readonly folder: string;
  readonly registry: Registry;
  readonly sessionKey: SessionKey;
  readonly tokenUse: TokenUse;
  readonly followers: FollowerFiles;
  readonly replication: ReplicationState;
  readonly replicated: Replicated;
  readonly hives: HiveStore;
  /** Changes Hives by commits, tags and branches. */
  readonly writer: HiveWriter;
  /** Creates Hives, and moves them to the trash and back. */
  readonly lifecycle: HiveLifecycle;
  /** What searches keep in memory. */
  readonly folded: FoldedCache;
  /** How many Hives are in memory, and approximately how much memory they take. */
  readonly memoryUsage: () => MemoryUsage;
  readonly verifier: Verifier;
  readonly mirrors: MirrorStore;
  readonly publications: PublicationStore;
  readonly webhooks: WebhookStore;
  /** See {@link readContent}. */
  readonly contentOf: (
    slug: HiveSlug,
    objects: ContentObjects,
    locale: string,
  ) => Promise<LocaleContent | undefined>;
  readonly trash: Trash;
  /** Pushes a Hive to a mirror. */
  readonly push: PushGit;
  /** Copies the refs of another server's repository. */
  readonly fetch: FetchGit;
  /** Sends a request to a webhook. */
  readonly sendWebhook: SendWebhook;
  /** Whether a path on this machine leads into the storage. */
  readonly holds: (path: string) => Promise<boolean>;
  /** Tells that a ref or a setting may have changed, also by another process. */
  readonly changes: HiveChanges;
  /** Subscribes to the commits of this process, and to those that it is told of. @returns a function that unsubscribes. */
  readonly onCommit: (listener: CommitListener) => () => void;
  /** Tells the subscribers of a commit by another process, which whoever knows of it may do: nothing depends on it. */
  readonly notifyCommit: (slug: HiveSlug) => void;
  /** Git's answer to one request of a clone or fetch; undefined when git is not installed. */
  readonly uploadPack: (slug: HiveSlug, request: UploadPackRequest) => Promise<Readable | undefined>;
  /** The same for followers and any repository: all refs and all objects are shown. */
  readonly uploadAll: (gitdir: string, request: UploadPackRequest) => Promise<Readable | undefined>;
  readonly packer: Packer;
  readonly backupSource: BackupSource;
  /** A folder for backups, which may be missing. */
  readonly backupFolder: (path: string) => BackupFolder;
  readonly restoration: Restoration;
  /** See {@link migrateSettings}. */
  readonly migrateSettings: () => Promise<Migration>;
  /** Opens another storage folder, on the same disk and with the same git. */
  readonly open: (folder: string) => Storage;
  /** See {@link networkFileSystem}, for the storage's folder. */
  readonly networkFileSystem: () => Promise<string | undefined>;
  /** Whether the storage lies in the folder that a path on this machine leads to. */
  readonly liesIn: (path: string) => Promise<boolean>;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** @throws the system's error, or SkepError, when nothing can be written to the storage. */
  readonly checkWritable: () => Promise<void>;
  /** A check that also writes a file, with a short timeout. @throws as {@link makeProbe} says. */
  readonly probe: () => Promise<void>;
  /**
   * Runs a function under a team's lock. A Hive's lock is taken inside it, never around it.
   * @param priority `first` by default: changes of rights and other settings do not wait behind queued content.
   */
  readonly lockTeam: <T>(
    team: TeamName,
    run: (lock: HeldLock) => Promise<T>,
    priority?: LockPriority,
  ) => Promise<T>;
}

export interface StorageOptions {
  /** The folder; created when the storage is. */
  readonly folder: string;
  readonly disk: Disk;
  /** Runs the installed git, which only sees the real disk; without it, features that need git are off. */
  readonly git?: RunGit;
  /** Defaults to a machine without git. */
  readonly push?: PushGit;
  /** Defaults to a machine without git. */
  readonly fetch?: FetchGit;
  /** Without it, every delivery fails. */
  readonly sendWebhook?: SendWebhook;
  /** See {@link UploadPack}; without it nothing can be cloned. */
  readonly uploadPack?: UploadPack;
  /** See {@link UnpackGit}; without it nothing can be pushed. */
  readonly unpackGit?: UnpackGit;
  /** Runs the installed git with streamed output. */
  readonly gitStream?: StreamGit;
  /** Defaults to the clock. */
  readonly now?: () => number;
  readonly locks?: LockOptions;
  /** Makes a reader of packs; isomorphic-git by default. */
  readonly packReader?: (gitdir: string) => PackReader;
  /** Approximately how many bytes of content may be in memory; unlimited by default. */
  readonly memoryBudget?: number;
  readonly observer?: StoreObserver;
  /** Unlimited by default. */
  readonly limits?: CountLimits;
  /** The least time between two checks of permissions by the probe. */
  readonly accessCheckMs?: number;
}

export type { StoreObserver };

const noPush: PushGit = () => Promise.resolve({ kind: "no-git", error: "git is not installed" });
const noFetch: FetchGit = () => Promise.reject(new Error("git is not installed"));
const noNetwork: SendWebhook = () => Promise.resolve({ kind: "failed", error: "webhooks are off" });
const noGit = (): Promise<undefined> => Promise.resolve(undefined);

/** Opens a storage folder. Nothing is read until it is needed. */
export function openStorage(options: StorageOptions): Storage {
  const {
    folder,
    disk,
    git = noGit,
    push = noPush,
    fetch = noFetch,
    sendWebhook = noNetwork,
    uploadPack: pack = noGit,
    unpackGit: unpack = noGit,
    gitStream = noGit,
    now = Date.now,
    locks: lockOptions,
    packReader,
    memoryBudget,
    observer,
    limits = noLimits,
    accessCheckMs,
  } = options;
  const root = resolve(folder);
  const fs = new DurableFs(disk);
  const locks = new Locks(fs, join(root, locksFolder), { ...lockOptions, observer });
  const replication = new ReplicationState(fs, locks, root);
  const assertAllowed = (): void => replication.assertWritable();
  const registry = new Registry(fs, locks, root, assertAllowed);
  const listeners = new Set<CommitListener>();
  const trash = new Trash(fs, join(root, "trash"));
  const memory = new MemoryBudget(memoryBudget ?? Infinity);
  const committed = (slug: HiveSlug, ms?: number): void => {
    if (ms !== undefined) observer?.committed(ms);
    for (const listener of listeners) listener(slug, "this");
    changes.refsMoved(slug);
  };
  const hiveLocks = new Locks(fs, join(root, locksFolder), { ...lockOptions, observer, assertAllowed });
  const hivesFolder = join(root, "hives");
  const opening = { fs, locks: hiveLocks, folder: hivesFolder, streamGit: gitStream, packReader, memory };
  const hives = new HiveStore(opening);
  const writing = {
    fs,
    locks: hiveLocks,
    now,
    unpackGit: unpack,
    fileStrings: limits.fileStrings,
    committed,
    refused: (checks: ReadonlySet<string>) => observer?.refused(checks),
  };
  const writer = new HiveWriter(hives, writing);
  const lifecycle = new HiveLifecycle(hives, { fs, registry, folder: hivesFolder, trash, now, committed });
  const mirrors = new MirrorStore(fs, root);
  const publications = new PublicationStore(fs, root, registry);
  const webhooks = new WebhookStore(fs, root);
  const folderOf = (slug: HiveSlug): string => hives.folderOf(slug);
  const changes = new HiveChanges({ fs, folderOf, settingsVersion: join(root, "settings-version") });
  const packer = new Packer({ fs, locks: join(root, locksFolder), folderOf, runGit: git });
  return {
    folder: root,
    limits,
    registry,
    sessionKey: new SessionKey(fs, locks, root),
    tokenUse: new TokenUse(fs, locks, root),
    followers: new FollowerFiles(fs, root),
    replication,
    replicated: new Replicated(fs, root),
    hives,
    writer,
    lifecycle,
    folded: new FoldedCache(memory),
    memoryUsage: () => memory.usage,
    verifier: new Verifier({
      fs,
      root,
      registry,
      hives,
      writer,
      lifecycle,
      mirrors,
      publications,
      webhooks,
      trash,
      packer,
      runGit: git,
      packReader,
    }),
    packer,
    backupSource: new BackupSource({ fs, publications, mirrors, webhooks, trash, folderOf }),
    backupFolder: (path) => new BackupFolder(fs, resolve(path), gitStream),
    restoration: new Restoration(fs, locks, root),
    migrateSettings: () => migrateSettings(fs, root, registry.version),
    open: (other) => openStorage({ ...options, folder: other }),
    networkFileSystem: () => networkFileSystem(root),
    liesIn: (path) => leadsInto(root, path),
    mirrors,
    publications,
    webhooks,
    contentOf: (slug, objects, locale) => {
      const gitdir = folderOf(slug);
      return readContent(new BareRepo(fs, gitdir, packReader?.(gitdir)), objects, locale);
    },
    trash,
    push,
    fetch,
    sendWebhook,
    holds: (path) => leadsInto(path, root),
    changes,
    onCommit: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notifyCommit: (slug) => {
      for (const listener of listeners) listener(slug, "another");
      changes.refsMoved(slug);
    },
    uploadPack: (slug, request) => pack(hives.folderOf(slug), request),
    uploadAll: (gitdir, request) => pack(gitdir, { ...request, showsAll: true }),
    now,
    probe: makeProbe(fs, join(root, locksFolder), accessCheckMs),
    checkWritable: () => locks.hold("start", () => Promise.resolve()),
    lockTeam: (team, run, priority = "first") => locks.hold(`team-${team}`, run, priority),
  };
}

function readPacks(gitdir: string): PackReader {
  return new CatFile(gitdir);
}

/** Loads what speaks HTTP when it is first needed. */
function sendLater(allowed: AllowedNetworks): SendWebhook {
  return async (request) => (await import("./webhook-request.ts")).webhookSender(allowed)(request);
}

/** The options of a storage on this machine. */
export interface LocalOptions extends Pick<StorageOptions, "memoryBudget" | "observer" | "limits" | "now"> {
  /** The networks besides the public internet to which webhooks may lead. */
  readonly webhookAllow?: AllowedNetworks;
}

/** Opens a storage folder on this machine's disk, with the installed git. */
export function openLocalStorage(
  folder: string,
  { memoryBudget, observer, limits, now, webhookAllow }: LocalOptions = {},
): Storage {
  const git = {
    git: runGit,
    push: gitPush(),
    fetch: fetchGit,
    sendWebhook: sendLater(webhookAllow),
    uploadPack: makeUploadPack(),
    unpackGit,
    gitStream: streamGit,
    packReader: readPacks,
    now,
  };
  return openStorage({ folder, disk: nodeFs, ...git, memoryBudget, observer, limits });
}
