/** Captures the state of a team for a backup at one moment, all except the objects. */
import { join } from "node:path";
import { isSkepError } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Team } from "../../domain/access/team.ts";
import type { Token } from "../../domain/access/token.ts";
import { fileIdentity } from "../../disk/disk.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { BranchRef } from "../../git/refs/branch-ref.ts";
import { formatMirrors, formatStates } from "../settings/mirror-files.ts";
import type { MirrorStore } from "../settings/mirrors.ts";
import { formatPublication, publicationFile } from "../settings/publication-file.ts";
import type { PublicationStore } from "../settings/publications.ts";
import type { WebhookStore } from "../settings/webhooks.ts";
import { readRefs, type Refs } from "../../git/refs/refs.ts";
import { formatTeam, formatToken } from "../settings/settings-files.ts";

/** A Hive's refs, and the identity of the repository that they are of. */
interface CapturedHive {
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

export class BackupSource {
  readonly #fs: DurableFs;
  readonly #publications: PublicationStore;
  readonly #mirrors: MirrorStore;
  readonly #webhooks: WebhookStore;
  /** The folder of a Hive's repository. */
  readonly folderOf: (slug: HiveSlug) => string;

  constructor(
    fs: DurableFs,
    {
      publications,
      mirrors,
      webhooks,
    }: {
      readonly publications: PublicationStore;
      readonly mirrors: MirrorStore;
      readonly webhooks: WebhookStore;
    },
    folderOf: (slug: HiveSlug) => string,
  ) {
    this.#fs = fs;
    this.#publications = publications;
    this.#mirrors = mirrors;
    this.#webhooks = webhooks;
    this.folderOf = folderOf;
  }

  /**
   * Captures a team's settings and its Hives' refs. The caller holds the team's lock, so that all of it is consistent.
   * @param tokens the team's.
   * @throws SkepError `content-invalid` when a file of mirrors, channels or webhooks cannot be read.
   */
  async capture(team: Team, tokens: readonly Token[]): Promise<CapturedTeam> {
    const settings = new Map([[`teams/${team.name}.yaml`, formatTeam(team)]]);
    for (const token of tokens) settings.set(`tokens/${token.id}.yaml`, formatToken(token));
    // Before the refs: what webhooks have received is then in them.
    for (const [path, text] of this.#webhooks.capture(team.name, team.hives)) settings.set(path, text);
    const hives = new Map<HiveSlug, CapturedHive>();
    for (const slug of team.hives) {
      hives.set(slug, await this.#captureHive(slug));
      const published = await this.#publications.of(slug);
      if (published !== undefined) {
        settings.set(`channels/${publicationFile(published)}`, formatPublication(published));
      }
      const states = await this.#mirrors.states(slug);
      if (states.length === 0) continue;
      settings.set(`mirrors/${slug}.yaml`, formatMirrors(states.map(({ mirror }) => mirror)));
      settings.set(`mirrors/${slug}.state.yaml`, formatStates(states));
    }
    return { settings, hives };
  }

  async #captureHive(slug: HiveSlug): Promise<CapturedHive> {
    const gitdir = this.folderOf(slug);
    const identity = this.#identityOf(slug);
    const refs = await readRefs(this.#fs, gitdir);
    try {
      new BranchRef(this.#fs, gitdir).read();
      return { identity, refs };
    } catch (error) {
      if (!isSkepError(error)) throw error;
      return { identity, refs, problem: error.message };
    }
  }

  /** Whether a Hive's repository is still the captured one, so that the objects copied since belong to it. */
  isUnchanged(slug: HiveSlug, { identity }: CapturedHive): boolean {
    return this.#identityOf(slug) === identity;
  }

  #identityOf(slug: HiveSlug): string | undefined {
    return fileIdentity(this.#fs.disk, join(this.folderOf(slug), "objects"));
  }
}
