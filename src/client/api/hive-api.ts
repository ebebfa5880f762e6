/** The requests that the client makes about one Hive. */
import { z } from "zod";
import type { CheckSettings } from "../../domain/checks/check-settings.ts";
import type { Severity } from "../../domain/checks/message.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import type { StringNotes, TeamNoteChange } from "../../domain/notes/note.ts";
import type { NamedMove } from "../../domain/plans/moves.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { BranchApi } from "./branch-api.ts";
import { PictureApi } from "./picture-api.ts";
import { GlossaryApi } from "./glossary-api.ts";
import { ReviewApi } from "./review-api.ts";
import { TranslationsApi } from "./translations-api.ts";
import { WorkApi } from "./work-api.ts";
import { ClientError } from "./client-error.ts";
import type { ApiResponse, HttpClient, Page } from "./http.ts";
import { writeHeaders, type SentFiles, type SentNotes, type WriteOptions } from "./write-options.ts";
import {
  branchResponse,
  acceptanceResult,
  exported,
  flatTexts,
  historyPage,
  hiveLocales,
  hiveProgress,
  movesResult,
  syncResult,
  findingPage,
  type HiveFinding,
  untranslatedPage,
  noteCounts,
  notePage,
  toStringNotes,
  type LocaleStats,
  type MovesResult,
  type SyncResult,
  type UntranslatedText,
} from "./schemas.ts";

/** A locale of a Hive. */
export interface HiveLocale {
  /** As the Hive shows it: the custom code where one is set. */
  readonly code: string;
  readonly canonical: string;
}

export interface HiveLocales {
  readonly source: HiveLocale;
  readonly targets: readonly HiveLocale[];
}

/** Texts by the names of the Hive's files and by flattened keys. */
export type HiveTexts = ReadonlyMap<string, Texts>;

/** How many pages of the history are searched. */
const maxHistoryPages = 20;

/** The string that notes are about. */
interface NotePlace {
  readonly file: string;
  readonly key: string;
}

export class HiveApi {
  readonly slug: string;
  /** The branch that all methods but those about branches are about; main if undefined. */
  readonly branch: string | undefined;
  readonly #http: HttpClient;
  readonly #path: string;

  constructor(http: HttpClient, slug: string, branch?: string) {
    this.slug = slug;
    this.branch = branch;
    this.#http = http;
    this.#path = `/api/hives/${encodeURIComponent(slug)}`;
  }

  /** The same Hive at another branch. */
  at(branch: string): HiveApi {
    return new HiveApi(this.#http, this.slug, branch);
  }

  /** The branches of the Hive. */
  get branches(): BranchApi {
    return new BranchApi(this.#http, `${this.#path}/branches`);
  }

  /** The glossary and the styles of the Hive. */
  get glossary(): GlossaryApi {
    return new GlossaryApi(this.#http, this.#path);
  }

  /** The pictures of the Hive, at its branch. */
  get pictures(): PictureApi {
    return new PictureApi(this.#http, `${this.#path}/pictures`, this.branch);
  }

  /** The translations that wait for a review, at its branch. */
  get review(): ReviewApi {
    return new ReviewApi(this.#http, `${this.#path}/review`, this.branch);
  }

  /** The queue of work, at its branch. */
  get work(): WorkApi {
    return new WorkApi(this.#http, `${this.#path}/work`, this.branch);
  }

  /** The translations of the Hive, at its branch. */
  get translations(): TranslationsApi {
    return new TranslationsApi(this.#http, this.#path, this.branch);
  }

  /** Whether the Hive has a branch; undefined where the token cannot read that. @throws ClientError */
  async hasBranch(name: string): Promise<boolean | undefined> {
    try {
      const path = `${this.#path}/branches/${encodeURIComponent(name)}`;
      await this.#http.send({ method: "GET", path, schema: branchResponse });
      return true;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === "unknown_branch") return false;
      if (error.code === "missing_ability") return undefined;
      throw error;
    }
  }

  /** Makes a branch from main, unless there is one of that name. @throws ClientError when there can be none. */
  async createBranch(name: string): Promise<void> {
    const path = `${this.#path}/branches`;
    try {
      await this.#http.send({
        method: "POST",
        path,
        body: { name },
        schema: branchResponse,
      });
    } catch (error) {
      // A retry finds the branch that it made, or one that somebody else made. Another one whose name is too similar is an error.
      if (!(error instanceof ClientError) || error.code !== "branch_exists") throw error;
      if ((await this.hasBranch(name)) === false) throw error;
    }
  }

  /** Makes the Hive. @throws ClientError, as every method does. */
  async create(
    source: HiveLocale,
    locales: readonly HiveLocale[],
    checks?: Pick<CheckSettings, "syntax">,
  ): Promise<void> {
    await this.#http.send({
      method: "POST",
      path: "/api/hives",
      body: { slug: this.slug, source_locale: toGiven(source), locales: locales.map(toGiven), checks },
      schema: z.object({ slug: z.string() }),
    });
  }

  /** Adds a target locale. */
  async addLocale(locale: HiveLocale): Promise<void> {
    await this.#http.send({
      method: "POST",
      path: `${this.#path}/locales`,
      body: toGiven(locale),
      schema: z.object({ code: z.string() }),
    });
  }

  /** The locales of the Hive. */
  async locales(): Promise<HiveLocales> {
    const { data } = await this.#http.send({
      method: "GET",
      path: `${this.#path}/locales`,
      schema: hiveLocales,
    });
    const locales = data.data.map(({ code, custom_code: custom, is_source: isSource }) => ({
      locale: { code: checkCode(custom ?? code), canonical: checkCode(code) },
      isSource,
    }));
    const source = locales.find(({ isSource }) => isSource);
    if (source === undefined) throw new ClientError("error", "The server names no source locale.");
    return {
      source: source.locale,
      targets: locales.filter(({ isSource }) => !isSource).map(({ locale }) => locale),
    };
  }

  /**
   * The texts of one locale: every file of the Hive, also where nothing of it is translated.
   * @param at a revision, such as a tag; HEAD if not given.
   * @param options.approved whether the text that was approved last stands where one waits for a review.
   * @param options.tag only texts with one of these tags, separated by commas.
   */
  async texts(
    locale: string,
    at?: string,
    { approved = false, tag }: { readonly approved?: boolean; readonly tag?: string } = {},
  ): Promise<ApiResponse<HiveTexts>> {
    const state = approved ? "approved" : undefined;
    const { data, commit } = await this.#http.send({
      method: "GET",
      path: `${this.#path}/export`,
      query: { locale, at, names: "hive", branch: this.branch, state, tag },
      schema: exported,
    });
    const files = Array.from(data.files, ([name, content]) => [name, toTexts(name, content)] as const);
    return { data: new Map(files), commit };
  }

  /** How far each target locale is translated, by its code. */
  async progress(): Promise<ReadonlyMap<string, LocaleStats>> {
    const { data } = await this.#http.send({
      method: "GET",
      path: this.#path,
      query: { branch: this.branch },
      schema: hiveProgress,
    });
    return new Map(Object.entries(data.locales));
  }

  /**
   * All texts of a locale that are missing or stale, in the order of the files.
   * @param options.states separated by commas.
   * @param options.tag only texts with one of these tags, separated by commas.
   */
  async untranslated(
    locale: string,
    {
      states = "missing,stale",
      tag,
      withNotes = false,
      revision,
    }: {
      readonly states?: string;
      readonly tag?: string;
      readonly withNotes?: boolean;
      readonly revision?: string;
    } = {},
  ): Promise<ApiResponse<readonly UntranslatedText[]>> {
    const filter = { locale, state: states, tag, include: withNotes ? "notes" : undefined };
    return this.#pages("untranslated", filter, untranslatedPage, revision);
  }

  /** The notes of one string. */
  async notes({ file, key }: NotePlace): Promise<StringNotes> {
    const query = { file, key, branch: this.branch };
    const path = `${this.#path}/notes`;
    const { data } = await this.#http.send({ method: "GET", path, query, schema: notePage });
    const [notes] = data.data;
    return notes === undefined ? {} : toStringNotes(notes);
  }

  /** Changes what the team says about one string. */
  async changeNote({ file, key }: NotePlace, change: TeamNoteChange): Promise<z.output<typeof noteCounts>> {
    const { data } = await this.#http.send({
      method: "PATCH",
      path: `${this.#path}/notes`,
      query: { branch: this.branch },
      headers: writeHeaders(false, undefined),
      body: { files: { [file]: { [key]: change } } },
      schema: noteCounts,
    });
    return data;
  }

  /** The findings of the checks in the Hive. @param severity errors and warnings if not given. @param at HEAD if not given. */
  async findings(severity?: Severity, at?: string): Promise<readonly HiveFinding[]> {
    return (await this.#pages("checks", { severity }, findingPage, at)).data;
  }

  /** Accepts a finding as a false alarm. @returns whether there was such a finding. */
  async accept(
    alarm: Pick<HiveFinding, "locale" | "file" | "key"> & { readonly check: string },
  ): Promise<boolean> {
    const { data } = await this.#http.send({
      method: "POST",
      path: `${this.#path}/checks/accept`,
      query: { branch: this.branch },
      body: alarm,
      schema: acceptanceResult,
    });
    return data.unknown === 0;
  }

  /** All pages of a list. They are of one commit, whatever is written meanwhile. */
  async #pages<T>(
    name: string,
    filter: Readonly<Record<string, string | undefined>>,
    schema: z.ZodType<Page<T>>,
    revision?: string,
  ): Promise<ApiResponse<readonly T[]>> {
    const rows: T[] = [];
    let at = revision;
    const query = () => ({ ...filter, at, branch: this.branch });
    for await (const { data, commit } of this.#http.pages(`${this.#path}/${name}`, query, schema)) {
      at ??= commit;
      rows.push(...data.data);
    }
    return { data: rows, commit: at ?? "" };
  }

  /** The commits of the app that syncs were made from, the last sync first. */
  async *syncedRefs(): AsyncGenerator<string> {
    let pages = 0;
    const query = () => ({ operation: "sync", branch: this.branch });
    for await (const { data } of this.#http.pages(`${this.#path}/history`, query, historyPage)) {
      for (const { ref } of data.data) if (ref !== null) yield ref;
      if (++pages === maxHistoryPages) return;
    }
  }

  /**
   * Syncs source files to the Hive; a file without content is removed.
   * @param options.base the same files as they were before the changes that are sent. Nothing else is changed then.
   * @param options.notes what the files say about their texts; files that it does not name keep what they said.
   * @param options.detectMoves whether strings that have gone and come again elsewhere keep their translations.
   */
  sync(
    files: SentFiles,
    {
      dryRun,
      ref,
      maxDeletions,
      base,
      notes,
      baseNotes,
      detectMoves,
    }: WriteOptions & {
      readonly maxDeletions: number | undefined;
      readonly base?: SentFiles;
      readonly notes?: SentNotes;
      readonly baseNotes?: SentNotes;
      readonly detectMoves: boolean;
    },
  ): Promise<ApiResponse<SyncResult>> {
    return this.#http.send({
      method: "PUT",
      path: `${this.#path}/strings`,
      query: {
        dry_run: dryRun ? "true" : undefined,
        max_deletions: maxDeletions?.toString(),
        detect_moves: detectMoves ? "true" : undefined,
        branch: this.branch,
      },
      headers: writeHeaders(dryRun, ref),
      body: { files, notes, base_files: base, base_notes: baseNotes },
      schema: syncResult,
    });
  }

  /** Moves strings with their translations. */
  move(moves: readonly NamedMove[], { dryRun, ref }: WriteOptions): Promise<ApiResponse<MovesResult>> {
    return this.#http.send({
      method: "POST",
      path: `${this.#path}/keys/move`,
      query: { dry_run: dryRun ? "true" : undefined, branch: this.branch },
      headers: writeHeaders(dryRun, ref),
      body: { moves },
      schema: movesResult,
    });
  }
}

function toGiven({ code, canonical }: HiveLocale): object {
  return { code: canonical, custom_code: code === canonical ? undefined : code };
}

/** Codes become parts of file paths, so a code from the server must not lead to another folder. */
function checkCode(code: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_@-]{0,63}$/.test(code)) return code;
  throw new ClientError("error", "The server names a locale whose code cannot be one.");
}

function toTexts(name: string, content: string): Texts {
  const { success, data } = flatTexts.safeParse(jsonOrUndefined(content));
  if (success) return data;
  throw new ClientError("error", `The server's content of ${JSON.stringify(name)} is not as Skep has it.`);
}
