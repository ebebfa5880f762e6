/** An app whose files follow its Hive while it is built or developed. */
import { join, relative, sep } from "node:path";
import type { CommandContext } from "../context.ts";
import { checkFaults } from "../faults.ts";
import { openProject, type Project } from "../project.ts";
import { checkUnheld, pull, type PullOptions } from "../pull.ts";
import { readConfig } from "../tree/config.ts";
import { treeFilter } from "../tree/tree.ts";

export interface FollowOptions extends Partial<
  Pick<PullOptions, "locales" | "at" | "approved" | "tag" | "missing" | "minComplete" | "pseudo">
> {
  /** The settings of the app; the nearest `skep.yaml` upwards if not given. */
  readonly config?: string;
}

export class FollowedApp {
  readonly #options: FollowOptions;
  readonly #context: CommandContext;
  /** What is opened once. */
  #project: Project | undefined;
  /** The commit that the last pull began at. */
  #commit: string | undefined;

  /** @param folder below which the settings are looked for upwards. @param warn takes notices for people. */
  constructor(folder: string, options: FollowOptions, warn: (message: string) => void) {
    this.#options = options;
    this.#context = {
      folder,
      environment: process.env,
      warn,
      fault: ({ message }) => warn(message),
      progress: () => {},
    };
  }

  /**
   * Pulls, unless the Hive is as it was at the last pull.
   * @returns the paths of the files that have changed.
   * @throws ClientError as a pull does; also when files could not be read, or cannot hold a text: all others are pulled then.
   */
  async pull(): Promise<readonly string[]> {
    try {
      return await this.#pull();
    } catch (error) {
      // There may be another token the next time.
      this.#project = undefined;
      throw error;
    }
  }

  async #pull(): Promise<readonly string[]> {
    const context = this.#context;
    const project = (this.#project ??= await openProject({ config: this.#options.config }, context, "read"));
    const commit = await project.hive.head();
    if (commit === this.#commit) return [];
    const report = await pull(project, {
      approved: false,
      missing: "leave",
      pseudo: false,
      ...this.#options,
      prune: false,
      strict: false,
      dryRun: false,
      allowEmpty: false,
    });
    this.#commit = commit;
    checkFaults(report.faults, "pulled");
    checkUnheld(report, "they were left out");
    return report.files.filter(({ change }) => change !== "unchanged").map(({ path }) => path);
  }

  /**
   * @returns the folders that the app's patterns begin with, and whether a path of the disk is of one of the patterns.
   * @throws ClientError when the settings cannot be read.
   */
  async files(): Promise<{ readonly folders: readonly string[]; readonly has: (path: string) => boolean }> {
    const { folder, ...settings } = await readConfig(this.#context.folder, this.#options.config);
    const has = treeFilter(settings);
    const patterns = settings.entries.flatMap(({ path, source = path }) => [path, source]);
    const folders = patterns.map((pattern) => join(folder, pattern.replace(/[^/]*([*{].*)?$/, "")));
    return { folders, has: (path) => has(relative(folder, path).split(sep).join("/")) };
  }
}
