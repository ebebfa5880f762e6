/** A project: the app's settings, its files, and its Hive on the server. Every client command works on one. */
import type { ParsedFile } from "../formats/format.ts";
import type { Texts } from "../domain/strings/string-file.ts";
import { ClientError, fileError } from "./api/client-error.ts";
import type { CommandContext } from "./context.ts";
import { HiveApi, type HiveLocale, type HiveLocales } from "./api/hive-api.ts";
import { HttpClient } from "./api/http.ts";
import { Credentials } from "./login/credentials.ts";
import { insecureServerWarning, readToken } from "./api/token.ts";
import { transportFor } from "./api/transport.ts";
import { findSettingsFile, readConfig, settingsName, type ClientConfig } from "./tree/config.ts";
import { inOrder, textsOf, wholeSource } from "./texts.ts";
import { readLocal } from "./tree/files.ts";
import { chooseBranch } from "./repository/app-branch.ts";
import { branchName, hiveSlug, serverUrl } from "./tree/schema.ts";
import { hasInterruptedWrites } from "./tree/write-files.ts";
import {
  findTree,
  openFormat,
  requireSources,
  type LocalFile,
  type Tree,
  type TreeFile,
} from "./tree/tree.ts";

/** The flags of a command. Each takes precedence over its environment variable, and that over `skep.yaml`. */
export interface ProjectFlags {
  readonly config?: string;
  readonly server?: string;
  readonly hive?: string;
  readonly tokenFile?: string;
  readonly branch?: string;
}

/**
 * What a command does with the branch that it is for. Where the Hive does not have that branch, `read` takes main
 * instead, `create` makes it, and `write` is an error. `none` is for commands that name branches themselves.
 */
export type BranchUse = "read" | "create" | "write" | "none";

/** The beginning of every report. */
export interface HiveReport {
  readonly hive: string;
  /** The branch of the Hive; null for main. */
  readonly branch: string | null;
}

/** A file of one locale as it is on the disk. */
export interface ReadFile extends Pick<ParsedFile, "texts" | "nonTextValues"> {
  readonly bytes: Buffer;
}

/** A source file as it is on the disk, with its texts nested as the file nests them. */
export type ReadSource = ReadFile & ParsedFile;

/** How many keys that stand twice a command names: mostly, the files of all locales repeat the same ones. */
const maxRepeated = 10;

export class Project {
  readonly config: ClientConfig;
  readonly hive: HiveApi;
  readonly context: CommandContext;
  /** A branch that the Hive does not have yet; until it is made, `hive` is at main. */
  readonly newBranch: string | undefined;
  readonly #notice: ReturnType<typeof noticesOf>;

  constructor(config: ClientConfig, hive: HiveApi, context: CommandContext, newBranch?: string) {
    this.config = config;
    this.hive = hive;
    this.context = context;
    this.newBranch = newBranch;
    this.#notice = noticesOf(context, maxRepeated);
  }

  /** The Hive and the branch that the command works on, for its report. */
  get hiveAndBranch(): HiveReport {
    return { hive: this.hive.slug, branch: this.newBranch ?? this.hive.branch ?? null };
  }

  /** The project at its branch, which is made if it is new. @throws ClientError */
  async atBranch(): Promise<Project> {
    if (this.newBranch === undefined) return this;
    await this.hive.branches.ensure(this.newBranch);
    return new Project(this.config, this.hive.at(this.newBranch), this.context);
  }

  /**
   * The files of the tree.
   * @throws ClientError `misuse` when `source:` in the settings is not the source locale of the Hive, and as
   * {@link findTree} does; `error` when a pattern matches no source file and that is not allowed.
   */
  async tree(locales: HiveLocales, options: { readonly allowEmpty: boolean }): Promise<Tree> {
    const { path, source } = this.config;
    if (source !== undefined && source !== locales.source.code && source !== locales.source.canonical) {
      const problem = `source: the source locale of the Hive ${this.hive.slug} is ${locales.source.code}, not ${source}`;
      throw fileError("misuse", { file: path }, problem);
    }
    const tree = await findTree(this.config, locales);
    for (const link of tree.links) this.context.warn(`${link}: is a symbolic link, and is passed over`);
    if (!options.allowEmpty) requireSources(tree, { path }, locales.source, "; --allow-empty allows that");
    return tree;
  }

  /** Warns of files that are half old and half new because a pull was killed: a command would compare or send them. */
  async warnOfInterruptedPull(): Promise<void> {
    if (!(await hasInterruptedWrites(this.config.folder))) return;
    this.context.warn(
      "A pull was interrupted here, or is under way: some files may be old and some new. The next skep pull settles it.",
    );
  }

  /**
   * Reads a file in a target locale.
   * @param source the texts of the source file, if it could be read.
   * @returns undefined where it does not exist.
   * @throws ClientError `error` with the place at fault when it cannot be read as a whole.
   */
  async read(file: TreeFile, local: LocalFile, source: Texts | undefined): Promise<ReadFile | undefined> {
    const parsed = await this.#parse(file, local, source);
    // Without the content, which keeps the tree of the whole file in memory.
    return parsed && { bytes: parsed.bytes, texts: parsed.texts, nonTextValues: parsed.nonTextValues };
  }

  /** Reads a source file of the tree. @throws ClientError as {@link Project.read} does, or when it is gone. */
  async readSource(file: TreeFile): Promise<ReadSource> {
    const parsed = await this.#parse(file, file.source);
    if (parsed === undefined) throw fileError("error", { file: file.source.absolute }, "has gone meanwhile");
    if (file.others === undefined) return parsed;
    const { bytes, nonTextValues, repeated, tooLong, notes, lineOf } = parsed;
    const order = new Set(parsed.texts.keys());
    const textsIn = async (other: LocalFile) => {
      const texts = (await this.#parse(file, other))?.texts;
      for (const key of texts?.keys() ?? []) order.add(key);
      return texts;
    };
    const content = await wholeSource(file, parsed.content, textsIn);
    return {
      bytes,
      nonTextValues,
      repeated,
      tooLong,
      notes,
      lineOf,
      content,
      texts: inOrder(textsOf(content), order),
    };
  }

  async #parse(file: TreeFile, local: LocalFile, source?: Texts): Promise<ReadSource | undefined> {
    const bytes = await readLocal(this.config.folder, local);
    if (bytes === undefined) return undefined;
    const { parse } = await openFormat(file, local, source);
    const parsed = parse(bytes);
    this.#notice(parsed, local, local === file.source);
    return Object.assign(parsed, { bytes });
  }
}

/**
 * Makes the function that names what is in files and is not sent: values that programs pass over, because their key stands
 * there twice, and, of source files, texts whose key is too long. In the files of other locales, these are the same ones.
 * @param most how many values it names of all files; then one more line says that there are more.
 */
export function noticesOf(
  { warn }: Pick<CommandContext, "warn">,
  most = Infinity,
): (file: Pick<ParsedFile, "repeated" | "tooLong">, local: LocalFile, isSource: boolean) => void {
  let seen = 0;
  return ({ repeated, tooLong }, { path }, isSource) => {
    const name = ({ line, message }: (typeof repeated)[number]): void => warn(`${path}:${line}: ${message}`);
    for (const one of repeated.slice(0, Math.max(0, most - seen))) name(one);
    if (seen <= most && seen + repeated.length > most) warn("More keys stand twice; skep check names all.");
    seen += repeated.length;
    if (isSource) for (const one of tooLong) name(one);
  };
}

/**
 * Opens the project of the current folder. Only whether a branch exists is asked of the server.
 * @throws ClientError `misuse` when settings, server, Hive, branch or token are missing or cannot be used.
 */
export async function openProject(
  flags: ProjectFlags,
  context: CommandContext,
  use: BranchUse,
): Promise<Project> {
  const { folder, environment, warn } = context;
  const config = await readConfig(folder, flags.config);
  const branch =
    use === "none"
      ? undefined
      : await chooseBranch(config.folder, environment, {
          given: setting("branch", flags, context, config),
          main: config.defaultBranch,
          isWrite: use !== "read",
          warn,
        });
  const hive = await connect(flags, context, config);
  const { slug } = hive;
  if (branch === undefined) return new Project(config, hive, context);
  const isThere = await hive.branches.has(branch);
  if (isThere === true) return new Project(config, hive.at(branch), context);
  if (use === "create") return new Project(config, hive, context, branch);
  const problem = `${slug} has no branch ${branch}`;
  if (use === "write") throw new ClientError("denied", `${problem}; skep push makes it.`);
  warn(`${problem} yet: this is about main.`);
  return new Project(config, hive, context);
}

/**
 * Opens a Hive for a command that needs no files of an app: `skep.yaml` is read if there is one.
 * @throws ClientError `misuse` as {@link openProject} does.
 */
export async function openHive(
  flags: ProjectFlags,
  context: CommandContext,
  use: BranchUse,
): Promise<HiveApi> {
  const config = await configIfAny(flags, context);
  if ("folder" in config && use !== "none") return (await openProject(flags, context, use)).hive;
  const hive = await connect(flags, context, config);
  const branch = use === "none" ? undefined : setting("branch", flags, context, config);
  return branch === undefined ? hive : hive.at(branch);
}

/** @throws ClientError `misuse` when the server or the token is missing or cannot be used. */
export async function openServer(flags: ProjectFlags, context: CommandContext): Promise<HttpClient> {
  return clientFor(flags, context, await configIfAny(flags, context));
}

/**
 * The server that flags, the environment or `skep.yaml` name, for a command that may work without one.
 * @throws ClientError `misuse` when a flag, a variable or the file cannot be used.
 */
export async function findServer(flags: ProjectFlags, context: CommandContext): Promise<string | undefined> {
  return setting("server", flags, context, await configIfAny(flags, context));
}

/**
 * The Hive that the environment or `skep.yaml` names, for a command that may work on another.
 * @throws ClientError `misuse` when a variable or the file cannot be used.
 */
export async function findHive(context: CommandContext): Promise<string | undefined> {
  return setting("hive", {}, context, await configIfAny({}, context));
}

/** The files that `skep.yaml` names; none where there is no such file. @throws ClientError as {@link findHive} does. */
export async function findEntries(
  flags: ProjectFlags,
  context: CommandContext,
): Promise<ClientConfig["entries"]> {
  const config = await configIfAny(flags, context);
  return "entries" in config ? config.entries : [];
}

/** The settings of the app, if there are any. */
async function configIfAny(
  flags: ProjectFlags,
  { folder }: CommandContext,
): Promise<ClientConfig | { readonly path: string }> {
  const hasFile = flags.config !== undefined || (await findSettingsFile(folder)) !== undefined;
  return hasFile ? readConfig(folder, flags.config) : { path: settingsName };
}

type HiveSettings = Pick<ClientConfig, "path"> & Partial<Pick<ClientConfig, "server" | "hive" | "branch">>;

/** @throws ClientError `misuse` when the server, Hive or token is missing or cannot be used. */
async function connect(flags: ProjectFlags, context: CommandContext, config: HiveSettings): Promise<HiveApi> {
  required("server", flags, context, config);
  const slug = required("hive", flags, context, config);
  return new HiveApi(await clientFor(flags, context, config), slug);
}

async function clientFor(
  flags: ProjectFlags,
  context: CommandContext,
  config: HiveSettings,
): Promise<HttpClient> {
  const { environment, warn } = context;
  const server = required("server", flags, context, config);
  const token = await readToken(flags.tokenFile, environment, () =>
    new Credentials(environment).find(server),
  );
  const warning = insecureServerWarning(server);
  if (warning !== undefined) warn(warning);
  return new HttpClient({ server, token, transport: await transportFor(environment), onRetry: warn });
}

function variableOf(name: string): string {
  return `SKEP_${name.toUpperCase()}`;
}

function required(...[name, flags, context, config]: Parameters<typeof setting>): string {
  const given = setting(name, flags, context, config);
  if (given !== undefined) return given;
  const problem = `No ${name} is given: put ${name}: into ${config.path}, set ${variableOf(name)}, or give --${name}.`;
  throw new ClientError("misuse", problem);
}

const settingSchemas = { server: serverUrl, hive: hiveSlug, branch: branchName };

/** @throws ClientError `misuse` when a flag or variable cannot be used. */
function setting(
  name: keyof typeof settingSchemas,
  { [name]: flag }: ProjectFlags,
  { environment }: Pick<CommandContext, "environment">,
  config: HiveSettings,
): string | undefined {
  const variable = variableOf(name);
  const given = flag ?? (environment[variable] || config[name]);
  if (given === undefined) return undefined;
  const { data, error } = settingSchemas[name].safeParse(given);
  if (data !== undefined) return data;
  const origin = flag === undefined ? variable : `--${name}`;
  throw new ClientError("misuse", `${origin}: ${error?.issues[0]?.message ?? "cannot be used"}`);
}

/**
 * The target locales that a flag names.
 * @param codes custom or canonical codes; all target locales if not given.
 * @throws ClientError `misuse` naming one that the Hive does not have.
 */
export function chooseLocales(
  { source, targets }: HiveLocales,
  codes: readonly string[] | undefined,
): readonly HiveLocale[] {
  if (codes === undefined) return targets;
  const chosen = codes.map((wanted) => {
    const found = targets.find(({ code, canonical }) => code === wanted || canonical === wanted);
    if (found !== undefined) return found;
    const known = targets.map(({ code }) => code).join(", ") || "none";
    const isSource = wanted === source.code || wanted === source.canonical;
    const what = isSource ? "is the source locale of the Hive" : "is not a target locale of the Hive";
    throw new ClientError("misuse", `${wanted} ${what}; those are ${known}.`);
  });
  return [...new Set(chosen)];
}
