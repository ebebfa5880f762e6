/** Verifies a storage: finds everything that should not be there, is missing, or is inconsistent. */
import { join, relative } from "node:path";
import { mainBranch, slugOf, type HiveBranch, isMain } from "../../domain/commits/branch-name.ts";
import { commandAuthor } from "../../domain/commits/commit-message.ts";
import { isSkepError } from "../../domain/errors.ts";
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { Person } from "../../domain/access/person.ts";
import type { Team } from "../../domain/access/team.ts";
import type { Token } from "../../domain/access/token.ts";
import { counted } from "../../domain/text.ts";
import { operator } from "../hives/write-context.ts";
import { BareRepo, UnreadablePath } from "../../git/bare-repo.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { StorageFault } from "./storage-fault.ts";
import {
  checkLocaleFolders,
  findMisplaced,
  findPictureProblems,
  checkGlossary,
  findMisplacedValues,
} from "./hive-check.ts";
import { checkObjects } from "./object-check.ts";
import type { HiveChange } from "../hives/hive-commit.ts";
import type { HiveLifecycle } from "../hives/hive-lifecycle.ts";
import type { HiveStore } from "../hives/hive-store.ts";
import type { HiveWriter } from "../hives/hive-writer.ts";
import type { GitPrograms } from "../../git/programs.ts";
import type { Packer } from "../../git/packs/packer.ts";
import type { MirrorStore } from "../settings/mirrors.ts";
import type { PublicationStore } from "../settings/publications.ts";
import type { WebhookStore } from "../settings/webhooks.ts";
import { unsafeConfiguration } from "../../git/process/repository-config.ts";
import { abandonedRefLocks, repositoryLeftovers } from "../../git/packs/leftovers.ts";
import { checkOwnership, checkMode } from "./ownership.ts";
import { storageLeftovers, type Leftover } from "../../disk/leftovers.ts";
import type { Registry } from "../settings/registry.ts";
import type { Trash } from "../hives/trash.ts";
import { checkSettingsFiles } from "./settings-check.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { mapInGroups } from "../../slices.ts";

export interface VerifierOptions {
  readonly fs: DurableFs;
  readonly root: string;
  readonly registry: Registry;
  readonly hives: HiveStore;
  readonly writer: HiveWriter;
  readonly lifecycle: HiveLifecycle;
  readonly mirrors: MirrorStore;
  readonly publications: PublicationStore;
  readonly webhooks: WebhookStore;
  readonly trash: Trash;
  readonly packer: Packer;
  readonly git: Pick<GitPrograms, "run" | "packReader">;
}

interface ContentRepair extends Pick<HiveChange, "writes" | "values"> {
  /** Which these are, for the commit's subject. */
  readonly repaired: string;
}

const verification = { metadata: { author: commandAuthor }, caller: operator };

export class Verifier {
  readonly #options: VerifierOptions;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Problems of ownership and permissions. */
  checkOwnership(): Promise<readonly StorageFault[]> {
    return checkOwnership(this.#options.fs, this.#options.root);
  }

  /** That other users of the machine can enter the storage's folder. */
  checkMode(): Promise<readonly StorageFault[]> {
    return checkMode(this.#options.fs, this.#options.root);
  }

  /** Problems of the settings, and of files that belong to no Hive. */
  async checkSettings(): Promise<readonly StorageFault[]> {
    const { fs, root, hives, mirrors, publications, webhooks, registry } = this.#options;
    const { teams, tokens, people, problems } = await registry.readable();
    const listed = teams.flatMap((team) => team.hives);
    const twice = [...new Set(listed.filter((slug, i) => listed.indexOf(slug) !== i))];
    const stored = (await fs.list(join(root, "hives"))).flatMap((name) =>
      name.endsWith(".git") ? [name.slice(0, -".git".length)] : [],
    );
    const missing = listed.filter((slug) => !stored.includes(slug));
    const orphaned = stored.filter((name) => !listed.some((slug) => slug === name));
    // A Hive may be in a team's list that cannot be read.
    const isCertain = problems.length === 0;
    return [
      ...(await this.#checkVersion()),
      ...(await storageLeftovers(fs, root)).map((leftover) => this.#toFinding(leftover)),
      ...twice.map((slug) => ({ problem: `the Hive ${slug} is in the lists of two teams` })),
      ...(await mapInGroups(missing, (slug) => this.#checkLost(slug, teams))),
      ...orphaned.map((name): StorageFault => {
        const problem = `hives/${name}.git is in no team's list${isCertain ? "" : " that can be read"}`;
        return isHiveSlug(name) && isCertain ? { problem, repair: () => this.#setAside(name) } : { problem };
      }),
      ...(await checkSettingsFiles({
        fs,
        root,
        teams: isCertain ? teams : undefined,
        forget: {
          mirrors: (...of) => mirrors.forget(...of),
          "mirror-states": (...of) => mirrors.forget(...of),
          channels: (...of) => publications.forget(...of),
          "webhook-states": (...of) => webhooks.stateLists.remove(...of),
        },
        lockHive: (slug, run) => hives.lock(slug, run),
      })),
      ...tokens.flatMap((token) => this.#checkHolder(token, "token", teams)),
      ...people.flatMap((person) => this.#checkHolder(person, "person", teams)),
      ...(await Promise.all(teams.map((team) => checkQuota(team, hives)))).flat(),
    ];
  }

  /** Only a repository in the trash mends this: what is nowhere may be in a backup, so the Hive stays in the list. */
  async #checkLost(slug: HiveSlug, teams: readonly Team[]): Promise<StorageFault> {
    const { lifecycle } = this.#options;
    const problem = `the Hive ${slug} is in a team's list and has no repository`;
    const team = teams.find(({ hives }) => hives.includes(slug))?.name;
    if (team === undefined || (await lifecycle.findLost({ slug, team })) === undefined) return { problem };
    const repair = async (): Promise<string> => {
      const id = await lifecycle.takeLostBack({ slug, team });
      return id === undefined ? "it is back, or no longer listed" : `moved it back from trash/${id}`;
    };
    return { problem, repair };
  }

  async #checkVersion(): Promise<readonly StorageFault[]> {
    const { registry } = this.#options;
    if (!(await registry.version.hasInterruptedChange())) return [];
    const repair = async (): Promise<string> => {
      await registry.version.endInterruptedChange();
      return "ended it; each setting is as it was before the change or as it is after it";
    };
    return [{ problem: "a change of a setting did not end: servers remember nothing", repair }];
  }

  /** Removes leftovers of unfinished writes outside the Hives; each Hive removes its own. */
  async removeLeftovers(): Promise<void> {
    const { fs, root, registry } = this.#options;
    await registry.version.endInterruptedChange();
    for (const { remove } of await storageLeftovers(fs, root)) await remove();
  }

  /** Problems of one Hive. A problem may be repaired before the next is asked for, so git checks last. */
  async *checkHive(slug: HiveSlug): AsyncGenerator<StorageFault> {
    const { fs, hives } = this.#options;
    const gitdir = hives.folderOf(slug);
    const repo = this.#repo(gitdir);
    for (const leftover of await repositoryLeftovers(fs, gitdir)) yield this.#toFinding(leftover);
    for (const leftover of await abandonedRefLocks(fs, gitdir)) yield this.#toFinding(leftover);
    yield* await checkObjects(repo);
    yield* await this.checkContent(slug, repo);
    for (const branch of (await repo.branches.list()).keys()) {
      if (branch === mainBranch) continue;
      for (const { problem, ...finding } of await this.checkContent({ slug, branch }, repo)) {
        yield { problem: `on the branch ${branch}: ${problem}`, ...finding };
      }
    }
    // git fsck reports files that are removed while it runs as damage.
    yield* await this.#options.packer.withoutPacking(slug, () => this.#runFsck(gitdir));
  }

  /** Problems of the trash, which is never repaired, because it is only kept. */
  async *checkTrash(): AsyncGenerator<StorageFault> {
    const { trash } = this.#options;
    const { entries, foreign } = await trash.read();
    for (const name of foreign) yield { problem: `trash/${name} is not a deleted Hive` };
    for (const { id, team } of entries) {
      if (team === undefined) {
        yield { problem: `trash/${id}.git does not say which team had it; skep hive restore can name one` };
      }
      const gitdir = trash.repositories.folderOf?.(id);
      if (gitdir === undefined) continue;
      for (const { problem } of await checkObjects(this.#repo(gitdir))) {
        yield { problem: `trash/${id}.git: ${problem}` };
      }
      for (const { problem } of await this.#runFsck(gitdir)) yield { problem: `trash/${id}.git: ${problem}` };
    }
  }

  #repo(gitdir: string): BareRepo {
    const { fs, git } = this.#options;
    return new BareRepo(fs, gitdir, git.packReader?.(gitdir), { asksPacksFirst: true });
  }

  #checkHolder(
    holder: Token | Person,
    kind: "token" | "person",
    teams: readonly Team[],
  ): readonly StorageFault[] {
    const { id, hives } = holder;
    const team = teams.find(({ name }) => name === holder.team);
    if (team === undefined) return [{ problem: `the ${kind} ${id} belongs to no team that can be read` }];
    if (hives === "all") return [];
    const gone = hives.filter((slug) => !team.hives.includes(slug));
    return gone.map((slug): StorageFault => {
      const repair = (): Promise<string> =>
        this.#options.hives.lock(slug, async (lock) => {
          await this.#options.registry.forgetHive(slug, [holder], lock);
          return `took it from the ${kind}`;
        });
      return {
        problem: `the ${kind} ${id} lists the Hive ${slug}, which its team does not have`,
        repair,
      };
    });
  }

  /** Problems of one Hive at HEAD, or at the head of one of its branches. */
  async checkContent(
    branch: HiveBranch,
    repo = this.#repo(this.#options.hives.folderOf(slugOf(branch))),
  ): Promise<readonly StorageFault[]> {
    const { hives } = this.#options;
    try {
      const snapshot = await hives.at(branch).snapshot();
      const misplaced = await findMisplaced(repo, snapshot);
      const repair = (): Promise<string> => this.#repairTranslations(branch, repo);
      return [
        // A branch may still have folders of locales that main has no more.
        ...(isMain(branch) ? [...checkLocaleFolders(snapshot), ...(await checkGlossary(snapshot))] : []),
        ...misplaced.map(({ problem }) => ({ problem, repair })),
        ...(await this.#checkMarkers(branch, snapshot)),
      ];
    } catch (error) {
      if (!isSkepError(error)) throw error;
      const { message: problem } = error;
      return [
        isMain(branch) && (await this.#hasRepairableSettings(branch))
          ? { problem, repair: () => this.#repairSettings(branch) }
          : { problem },
      ];
    }
  }

  async #hasRepairableSettings(slug: HiveSlug): Promise<boolean> {
    try {
      return await this.#options.lifecycle.hasRepairableSettings(slug);
    } catch (error) {
      // Something else cannot be read either, which is a finding of its own.
      if (isSkepError(error) || error instanceof UnreadablePath) return false;
      throw error;
    }
  }

  async #repairSettings(slug: HiveSlug): Promise<string> {
    const isRepaired = await this.#options.lifecycle.repairSettings(slug);
    return isRepaired
      ? "went back to the last readable hive.yaml by a commit"
      : "it was repaired in the meantime";
  }

  async #checkMarkers(branch: HiveBranch, snapshot: Snapshot): Promise<readonly StorageFault[]> {
    const repair = (): Promise<string> => this.#repairMarkers(branch);
    try {
      const misplaced = await findMisplacedValues(snapshot, { isBranch: !isMain(branch) });
      return [
        ...misplaced.map(({ problem, writes }) => (writes.length > 0 ? { problem, repair } : { problem })),
        ...(await findPictureProblems(snapshot)),
      ];
    } catch (error) {
      if (!isSkepError(error)) throw error;
      return [{ problem: error.message }];
    }
  }

  #repairMarkers(branch: HiveBranch): Promise<string> {
    return this.#repairContent(branch, async (snapshot) => {
      const misplaced = await findMisplacedValues(snapshot, { isBranch: !isMain(branch) });
      const values = misplaced.flatMap(({ writes }) => writes);
      return { repaired: `${counted(values.length, "file")} of markers, accepted findings or notes`, values };
    });
  }

  #repairTranslations(branch: HiveBranch, repo: BareRepo): Promise<string> {
    return this.#repairContent(branch, async (snapshot) => {
      const writes = (await findMisplaced(repo, snapshot)).map(({ write }) => write);
      return { repaired: counted(writes.length, "translation file"), writes };
    });
  }

  /**
   * Repairs all findings of one kind by one commit; the repairs of later findings then have nothing left to do.
   * @param repair gives the files to write, and says which these are.
   */
  async #repairContent(
    branch: HiveBranch,
    repair: (snapshot: Snapshot) => Promise<ContentRepair>,
  ): Promise<string> {
    const { result } = await this.#options.writer.commit(branch, verification, async (snapshot) => {
      const { repaired, ...files } = await repair(snapshot);
      if (Object.values(files).every(({ length }) => length === 0))
        return { result: "repaired together with the finding before it" };
      const metadata = { subject: `Repair ${repaired}`, operation: "verify" };
      return { result: "repaired by a commit", change: { metadata, ...files } };
    });
    return result;
  }

  /** Problems that git finds, or the reason why git is not run. */
  async #runFsck(gitdir: string): Promise<readonly StorageFault[]> {
    const foreign = unsafeConfiguration(gitdir);
    if (foreign.length > 0) {
      const problem = `the repository's git configuration has ${foreign.join(", ")}: git is not run in it, neither for clones and mirrors nor for packing`;
      return [{ problem }];
    }
    const first = await this.#fsck(gitdir);
    // What is written while git checks seems to be missing to it, so only what it finds twice is wrong.
    const second = new Set(first.length === 0 ? [] : await this.#fsck(gitdir));
    return first.filter((line) => second.has(line)).map((line) => ({ problem: `git fsck: ${line}` }));
  }

  async #fsck(gitdir: string): Promise<readonly string[]> {
    const args = ["fsck", "--full", "--strict", "--no-dangling", "--no-progress"];
    const result = await this.#options.git.run(gitdir, args);
    if (result === undefined || result.code === 0) return [];
    const lines = `${result.stdout}\n${result.stderr}`.split("\n").map((line) => line.trim());
    return lines.filter((line) => line !== "").map((line) => line.replaceAll("./objects", "objects"));
  }

  async #setAside(slug: HiveSlug): Promise<string> {
    const id = await this.#options.lifecycle.setAsideOrphan(slug);
    return id === undefined ? "it is gone" : `moved it to trash/${id}.git`;
  }

  #toFinding({ path, remove }: Leftover): StorageFault {
    const repair = async (): Promise<string> => {
      await remove();
      return "removed it";
    };
    return { problem: `${relative(this.#options.root, path)} was left by a write that did not end`, repair };
  }
}

async function checkQuota(
  { name, maxStrings, hives: slugs }: Team,
  hives: HiveStore,
): Promise<readonly StorageFault[]> {
  if (maxStrings === undefined) return [];
  const total = await hives.countStrings(slugs);
  if (total <= maxStrings) return [];
  return [{ problem: `the team ${name} holds ${counted(total, "string")}, and its quota is ${maxStrings}` }];
}
