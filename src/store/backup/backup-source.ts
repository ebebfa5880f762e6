/** Captures the state of a team for a backup at one moment, all except the objects. */
import { join } from "node:path";
import { isSkepError } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Team } from "../../domain/access/team.ts";
import type { Person } from "../../domain/access/person.ts";
import type { Rights, Token } from "../../domain/access/token.ts";
import { fileIdentity } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { openRefs, BranchRef } from "../../git/refs/ref.ts";
import type { MirrorStore } from "../settings/mirrors.ts";
import type { PublicationStore } from "../settings/publications.ts";
import type { EngineStore } from "../settings/engines.ts";
import type { WebhookStore } from "../settings/webhooks.ts";
import { readRefs, type Refs } from "../../git/refs/refs.ts";
import type { Trash } from "../hives/trash.ts";
import { formatPerson } from "../settings/people-files.ts";
import { formatTeam, formatToken } from "../settings/settings-files.ts";

/** A Hive's refs, and the repository that they are of. */
export interface CapturedHive {
  /** Stays the same when the repository is moved to the trash and back. */
  readonly identity: string | undefined;
  readonly refs: Refs;
  /** Why it cannot be backed up. */
  readonly problem?: string;
}

export interface CapturedTeam {
  /** By their paths in the storage. */
  readonly settings: ReadonlyMap<string, string>;
  readonly hives: ReadonlyMap<HiveSlug, CapturedHive>;
}

export interface BackupSourceOptions {
  readonly fs: DurableFs;
  readonly publications: PublicationStore;
  readonly mirrors: MirrorStore;
  readonly webhooks: WebhookStore;
  readonly engines: EngineStore;
  readonly trash: Trash;
  readonly folderOf: (slug: HiveSlug) => string;
}

export class BackupSource {
  readonly #options: BackupSourceOptions;

  constructor(options: BackupSourceOptions) {
    this.#options = options;
  }

  /**
   * Captures a team's settings and its Hives' refs. The caller holds the team's lock, so that all of it is consistent.
   * @param holders the team's tokens and persons.
   * @param excluded Hives that are not captured.
   * @throws SkepError `content-invalid` when a file of mirrors, channels, webhooks or engines cannot be read.
   */
  async capture(
    team: Team,
    { tokens, people }: { readonly tokens: readonly Token[]; readonly people: readonly Person[] },
    excluded: ReadonlySet<HiveSlug>,
  ): Promise<CapturedTeam> {
    const { publications, mirrors, webhooks, engines } = this.#options;
    const kept = (slugs: readonly HiveSlug[]): HiveSlug[] => slugs.filter((slug) => !excluded.has(slug));
    const slugs = kept(team.hives);
    const settings = new Map([[`teams/${team.name}.yaml`, formatTeam({ ...team, hives: slugs })]]);
    const keptOf = ({ hives }: Rights): Rights["hives"] => (hives === "all" ? hives : kept(hives));
    for (const token of tokens)
      settings.set(`tokens/${token.id}.yaml`, formatToken({ ...token, hives: keptOf(token) }));
    for (const person of people)
      settings.set(`people/${person.id}.yaml`, formatPerson({ ...person, hives: keptOf(person) }));
    // Before the refs: what webhooks have received is then in them.
    for (const [path, text] of webhooks.capture(team.name, slugs)) settings.set(path, text);
    for (const [path, text] of engines.capture(team.name)) settings.set(path, text);
    const hives = new Map<HiveSlug, CapturedHive>();
    for (const slug of slugs) {
      hives.set(slug, await this.#captureHive(slug));
      for (const [path, text] of [...(await publications.capture(slug)), ...mirrors.capture(slug)])
        settings.set(path, text);
    }
    return { settings, hives };
  }

  async #captureHive(slug: HiveSlug): Promise<CapturedHive> {
    const { fs, folderOf } = this.#options;
    const gitdir = folderOf(slug);
    const identity = this.#identityOf(gitdir);
    const refs = await readRefs(fs, gitdir);
    try {
      new BranchRef(openRefs(fs, gitdir)).read();
      return { identity, refs };
    } catch (error) {
      if (!isSkepError(error)) throw error;
      return { identity, refs, problem: error.message };
    }
  }

  /** Where a captured repository is: in its place, or in the trash; undefined when it was found in neither. */
  async locate(slug: HiveSlug, hive: CapturedHive): Promise<string | undefined> {
    const { folderOf, trash } = this.#options;
    if (this.isAt(folderOf(slug), hive)) return folderOf(slug);
    const deleted = (await trash.read()).entries.filter((entry) => entry.slug === slug);
    return deleted
      .flatMap(({ id }) => trash.repositories.folderOf?.(id) ?? [])
      .find((gitdir) => this.isAt(gitdir, hive));
  }

  isAt(gitdir: string, { identity }: CapturedHive): boolean {
    return this.#identityOf(gitdir) === identity;
  }

  #identityOf(gitdir: string): string | undefined {
    return fileIdentity(this.#options.fs.disk, join(gitdir, "objects"));
  }
}
