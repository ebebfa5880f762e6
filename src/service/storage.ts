/** An opened storage folder, with everything that operations work on. */
import nodeFs from "node:fs";
import { basename, join, resolve } from "node:path";
import { LRUCache } from "lru-cache";
import { boundedCache } from "../bounded-cache.ts";
import type { Disk } from "../disk/disk.ts";
import { DurableFs } from "../disk/durable-fs.ts";
import { Locks, type LockOptions, type StoreObserver } from "../disk/locks/lock.ts";
import { MemoryBudget } from "../disk/memory-budget.ts";
import { onDemand } from "../on-demand.ts";
import { networkFileSystem } from "../disk/host-claim.ts";
import { locksFolder } from "../disk/storage-folder.ts";
import type { HiveSlug, PersonId } from "../domain/names.ts";
import { Attempts } from "../domain/access/attempts.ts";
import { noLimits, type CountLimits } from "../domain/plans/quota.ts";
import { Packer } from "../git/packs/packer.ts";
import { installedGit, noGit, type GitPrograms } from "../git/programs.ts";
import { BackupFolder, Restoration } from "../store/backup/backup-folder.ts";
import { BackupSource } from "../store/backup/backup-source.ts";
import { FoldedCache, TextIndexCache } from "../store/content/folded-cache.ts";
import { HiveChanges } from "../store/hives/hive-changes.ts";
import { HiveLifecycle } from "../store/hives/hive-lifecycle.ts";
import { HiveStore } from "../store/hives/hive-store.ts";
import { HiveWriter } from "../store/hives/hive-writer.ts";
import { Trash } from "../store/hives/trash.ts";
import { migrateSettings } from "../store/migration/stored-files.ts";
import { folderRecord } from "../store/record/folder-record.ts";
import { MovedTo } from "../store/record/moved-to.ts";
import type { RecordParts, StorageRecord } from "../store/record/record.ts";
import { AuditLog, type AuditBounds } from "../store/settings/audit-log.ts";
import { ClaimStore } from "../store/settings/claims.ts";
import { AuthorizationCodes, DeviceCodes } from "../store/settings/program-codes.ts";
import { EngineJobStore } from "../store/settings/engine-jobs.ts";
import { EngineStore } from "../store/settings/engines.ts";
import { InboxStore } from "../store/settings/inboxes.ts";
import { MirrorStore } from "../store/settings/mirrors.ts";
import { PersonSessions } from "../store/settings/people-files.ts";
import { PublicationStore } from "../store/settings/publications.ts";
import { Registry } from "../store/settings/registry.ts";
import { SessionKey } from "../store/settings/session-key.ts";
import { TokenUse } from "../store/settings/token-use.ts";
import { WebhookStore } from "../store/settings/webhooks.ts";
import { makeProbe } from "../store/verify/probe.ts";
import { Verifier } from "../store/verify/verifier.ts";
import { readTerms } from "./terms.ts";
import type { AllowedNetworks, SendOutgoing } from "./outgoing-request.ts";
import type { SendWebhook } from "./webhook-request.ts";

export type { StoreObserver };

/** How much is new for a person, as it was at a time. */
export interface News {
  readonly count: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Whether it is being counted again. */
  readonly isCounting: boolean;
}

/** @param by whether this process or another one has made the commit. */
export type CommitListener = (slug: HiveSlug, by: "this" | "another") => void;

/** What all operations need: the Hives, teams with their settings, and who did what. */
export interface StorageBase extends Readonly<ReturnType<typeof baseOf>> {}

/** What the texts of Hives are written and searched with. */
export interface ContentStorage extends StorageBase, Readonly<ReturnType<typeof contentOf>> {}

/** Who signs in, and what they are told. */
export interface AccessStorage extends StorageBase, Readonly<ReturnType<typeof accessOf>> {}

/** What goes to other machines: mirrors, channels, webhooks, and texts for engines. */
export interface DeliveryStorage extends StorageBase, Readonly<ReturnType<typeof deliveryOf>> {}

/** What keeps the storage itself: its record, backups, the trash, packing and verification. */
export interface OperationsStorage extends StorageBase, Readonly<ReturnType<typeof operationsOf>> {}

/** An opened storage. An operation names the part of it that it needs. */
export interface Storage extends ContentStorage, AccessStorage, DeliveryStorage, OperationsStorage {
  /** Opens another storage folder, which is its own record, on the same disk and with the same git. */
  readonly open: (folder: string) => Storage;
}

export interface StorageOptions {
  /** The folder; created when the storage is. */
  readonly folder: string;
  readonly disk: Disk;
  /** The disk of backups and of other storages; the same by default. */
  readonly otherDisk?: Disk;
  /** Makes what holds the truth of the storage; the folder itself by default. */
  readonly record?: (parts: RecordParts) => StorageRecord;
  /** What is missing is as on a machine without git. */
  readonly git?: Partial<GitPrograms>;
  /** Without it, every delivery fails. */
  readonly sendWebhook?: SendWebhook;
  /** Without it, no engine is reached. */
  readonly sendToEngine?: SendOutgoing;
  /** Defaults to the clock. */
  readonly now?: () => number;
  readonly locks?: LockOptions;
  /** Approximately how many bytes of content may be in memory; unlimited by default. */
  readonly memoryBudget?: number;
  readonly observer?: StoreObserver;
  /** Unlimited by default. */
  readonly limits?: CountLimits;
  /** What the audit log keeps, where that is not the usual. */
  readonly audit?: Partial<AuditBounds>;
  /** The least time between two checks of permissions by the probe. */
  readonly accessCheckMs?: number;
}

/** Texts that an engine has suggested, by form. */
export interface SuggestedTexts {
  readonly model: string | undefined;
  readonly forms: ReadonlyMap<string, string>;
}

/** How long suggestions are kept, and how many characters of them. */
const suggestions = {
  ttl: 3_600_000,
  maxSize: 4_000_000,
  sizeCalculation: ({ forms }: SuggestedTexts): number =>
    Array.from(forms.values()).reduce((sum, text) => sum + text.length, 100),
};

const maxUnreviewed = 20_000;
/** How many requests for suggestions are known while they are under way. */
const maxSuggesting = 1_000;

const noNetwork: SendWebhook = () => Promise.resolve({ kind: "failed", error: "webhooks are off" });

const noEngines: SendOutgoing = () => Promise.reject(new Error("engines are off"));

/** Opens a storage folder. Nothing is read until it is needed. */
export function openStorage(options: StorageOptions): Storage {
  const { disk, otherDisk = disk } = options;
  const open = (folder: string): Storage =>
    openStorage({ ...options, record: undefined, disk: otherDisk, folder });
  const core = openCore(options);
  return {
    ...baseOf(core),
    ...contentOf(core),
    ...accessOf(core),
    ...deliveryOf(core),
    ...operationsOf(core),
    open,
  };
}

/** Opens what the parts of a storage share. */
function openCore(options: StorageOptions) {
  const { disk, now = Date.now, observer, limits = noLimits } = options;
  const { record: makeRecord = folderRecord } = options;
  const root = resolve(options.folder);
  const git = { ...noGit, ...options.git };
  const fs = new DurableFs(disk);
  const moved = new MovedTo(fs, root);
  const lockOptions: LockOptions = {
    ...options.locks,
    assertAllowed: () => moved.assertWritable(),
    observer,
    version: (scope) => record.version(scope),
    refresh: () => record.refresh([]),
  };
  const locks = new Locks(fs, join(root, locksFolder), lockOptions);
  const record = makeRecord({
    fs,
    root,
    locks,
    hives: {
      replaced: (slug) => hives.close(slug),
      changed: (slug) => notify(slug, "another"),
      watched: () => changes.watchedHives(),
    },
  });
  const { documents, repositories } = record;
  const assertAllowed = (): void => moved.assertWritable();
  const registry = new Registry({ fs, locks, root, documents, assertAllowed });
  const mirrors = new MirrorStore(fs, root, record);
  const publications = new PublicationStore(fs, root, registry);
  const webhooks = new WebhookStore(fs, root, record);
  const engines = new EngineStore(fs, root, documents, now);
  const trash = new Trash(repositories.trash);
  const memory = new MemoryBudget(options.memoryBudget ?? Infinity);
  const folder = join(root, "hives");
  const listeners = new Set<CommitListener>();
  const notify = (slug: HiveSlug, by: "this" | "another"): void => {
    for (const listener of listeners) listener(slug, by);
    changes.refsMoved(slug);
  };
  const committed = (slug: HiveSlug, ms?: number): void => {
    if (ms !== undefined) observer?.committed(ms);
    notify(slug, "this");
  };
  const hives = new HiveStore({
    fs,
    locks,
    folder,
    git,
    memory,
    record,
  });
  const writer = new HiveWriter(hives, {
    fs,
    locks,
    now,
    git,
    fileStrings: limits.fileStrings,
    registry,
    terms: async (slug) => (await readTerms({ hives, registry }, slug)).index,
    committed,
    refused: (checks) => observer?.refused(checks),
  });
  const lifecycle = new HiveLifecycle(hives, { fs, registry, folder, repositories, trash, now, committed });
  const folderOf = (slug: HiveSlug): string => hives.folderOf(slug);
  const changes = new HiveChanges({ fs, folderOf, settingsVersion: join(root, "settings-version") });
  const packer = new Packer({ fs, locks: join(root, locksFolder), folderOf, runGit: git.run });
  const stores = {
    fs,
    root,
    registry,
    hives,
    writer,
    lifecycle,
    mirrors,
    publications,
    webhooks,
    engines,
    trash,
  };
  return {
    ...stores,
    options,
    stores,
    now,
    limits,
    git,
    locks,
    record,
    documents,
    moved,
    memory,
    changes,
    packer,
    folderOf,
    listeners,
    notify,
  };
}

type Core = ReturnType<typeof openCore>;

function baseOf({ root, now, limits, registry, hives, git, fs, documents, options }: Core) {
  const lockTeam: HiveStore["lockTeam"] = (...lock) => hives.lockTeam(...lock);
  return {
    /** The folder, as an absolute path. */
    folder: root,
    /** The time in milliseconds since 1970. */
    now,
    /** How many Hives, tokens and so on callers may create; commands are not limited. */
    limits,
    registry,
    hives,
    audit: new AuditLog(fs, documents.lines, now, options.audit),
    git,
    /** See {@link HiveStore.lockTeam}. */
    lockTeam,
  };
}

function contentOf({ writer, documents, now, memory, changes, listeners, notify }: Core) {
  return {
    /** Changes Hives by commits, tags and branches. */
    writer,
    claims: new ClaimStore(documents, now),
    /** What searches keep in memory. */
    folded: new FoldedCache(memory),
    /** What translation memory keeps in memory. */
    textIndexes: new TextIndexCache(memory),
    /** Comments of each person or token within an hour. */
    comments: new Attempts({ spanMs: 3_600_000, ofPlace: Infinity }),
    /** Tells that a ref or a setting may have changed, also by another process. */
    changes,
    /** Subscribes to the commits of this process, and to those that it is told of. @returns a function that unsubscribes. */
    onCommit: (listener: CommitListener): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Tells the subscribers of a commit by another process, which whoever knows of it may do: nothing depends on it. */
    notifyCommit: (slug: HiveSlug): void => notify(slug, "another"),
  };
}

function accessOf({ fs, locks, root, documents, now }: Core) {
  return {
    sessionKey: new SessionKey(fs, locks, root, documents),
    personSessions: new PersonSessions(fs, locks, root, documents),
    deviceCodes: new DeviceCodes(documents, now),
    authorizationCodes: new AuthorizationCodes(documents, now),
    attempts: new Attempts(),
    tokenUse: new TokenUse(documents),
    inboxes: new InboxStore(documents),
    /** How much is new for persons, as pages say it; see `newsOf`. */
    news: boundedCache<PersonId, News>(10_000),
    /** Mails to each address within an hour. */
    mailed: new Attempts({ spanMs: 3_600_000, ofPlace: Infinity }),
  };
}

function deliveryOf({ mirrors, publications, webhooks, engines, documents, now, options }: Core) {
  const { sendWebhook = noNetwork, sendToEngine = noEngines, observer } = options;
  return {
    mirrors,
    publications,
    webhooks,
    sendWebhook,
    engines,
    engineJobs: new EngineJobStore(documents, now),
    sendToEngine,
    /** Called for each request to an engine. */
    engineAsked: observer?.engineAsked,
    /** What engines have suggested within the hour, by what they were asked. */
    suggestions: new LRUCache<string, SuggestedTexts>(suggestions),
    /** Requests for suggestions that are under way, by the same. */
    suggesting: boundedCache<string, Promise<SuggestedTexts>>(maxSuggesting),
    /** What texts of machines were written for that nobody has reviewed, by their places and texts. */
    unreviewed: boundedCache<string, { readonly source: string | undefined }>(maxUnreviewed),
  };
}

function operationsOf(core: Core) {
  const { fs, locks, root, record, moved, memory, git, registry, packer, stores, options } = core;
  const otherDisk = options.otherDisk ?? options.disk;
  return {
    record,
    /** Whether the storage is in a database by now. */
    moved,
    /** Creates Hives, and moves them to the trash and back. */
    lifecycle: core.lifecycle,
    trash: core.trash,
    packer,
    verifier: new Verifier({ ...stores, packer, git }),
    backupSource: new BackupSource({ ...stores, folderOf: core.folderOf }),
    backupFolder: (path: string) => new BackupFolder(new DurableFs(otherDisk), resolve(path), git.stream),
    restoration: new Restoration(fs, locks, root),
    /** See {@link migrateSettings}. */
    migrateSettings: () => migrateSettings(fs, root, registry.version),
    /** How many Hives are in memory, and approximately how much memory they take. */
    memoryUsage: () => memory.usage,
    /** Makes the folder as new as the record, if that is elsewhere; see {@link StorageRecord.refresh}. */
    refresh: options.record && record.refresh,
    /** See {@link StorageRecord.problem}. */
    recordProblem: record.problem,
    /** See {@link StorageRecord.probe}. */
    probeRecord: record.probe,
    /** See {@link networkFileSystem}, for the storage's folder. */
    networkFileSystem: () => networkFileSystem(root),
    /** Waits until whoever has a lock now has given it up. Packing changes nothing. @throws SkepError `busy`. */
    drainLocks: async (): Promise<void> => {
      const names = (await fs.list(join(root, locksFolder))).filter((name) => name.endsWith(".lock"));
      for (const name of names.map((file) => basename(file, ".lock"))) {
        if (!name.startsWith("pack-")) await locks.hold(name, () => Promise.resolve());
      }
    },
    /** @throws the system's error, or SkepError, when nothing can be written to the storage. */
    checkWritable: (): Promise<void> => locks.hold("start", () => Promise.resolve()),
    /** A check that also writes a file, with a short timeout. @throws as {@link makeProbe} says. */
    probe: makeProbe(fs, join(root, locksFolder), options.accessCheckMs),
  };
}

export interface LocalOptions extends Partial<
  Pick<StorageOptions, "memoryBudget" | "observer" | "limits" | "now" | "disk" | "otherDisk" | "record">
> {
  /** The networks besides the public internet to which webhooks may lead. */
  readonly webhookAllow?: AllowedNetworks;
  /** The same for engines. */
  readonly engineAllow?: AllowedNetworks;
}

/** What speaks HTTP is loaded when it is first needed. */
const loadWebhooks = onDemand(() => import("./webhook-request.ts"));
const loadOutgoing = onDemand(() => import("./outgoing-request.ts"));

/** Opens a storage folder on this machine's disk, with the installed git. */
export function openLocalStorage(
  folder: string,
  { webhookAllow, engineAllow, ...options }: LocalOptions = {},
): Storage {
  const sendWebhook: SendWebhook = async (request) =>
    (await loadWebhooks()).webhookSender(webhookAllow)(request);
  const sendToEngine: SendOutgoing = async (request) =>
    (await loadOutgoing()).sendOutgoing(request, engineAllow);
  return openStorage({ folder, disk: nodeFs, git: installedGit(), sendWebhook, sendToEngine, ...options });
}
