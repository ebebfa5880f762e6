/** The requests that the client makes about one Hive. */
import { z } from "zod";
import type { CheckSettings } from "../../domain/checks/check-settings.ts";
import type { Severity } from "../../domain/checks/message.ts";
import type { FileFormat } from "../../domain/files/file-formats.ts";
import { isCustomCode } from "../../domain/hives/locale.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import type { StringNotes, TeamNoteChange } from "../../domain/notes/note.ts";
import type { NamedMove } from "../../domain/plans/moves.ts";
import type { Texts } from "../../domain/strings/string-file.ts";
import { BranchApi } from "./branch-api.ts";
import { PictureApi } from "./picture-api.ts";
import { GlossaryApi } from "./glossary-api.ts";
import { HistoryApi } from "./history-api.ts";
import { ReviewApi } from "./review-api.ts";
import { TagApi } from "./tag-api.ts";
import { asRead } from "./as-read.ts";
import { inHalves, openTexts, TranslationsApi, type UntranslatedText } from "./translations-api.ts";
import { EngineApi } from "./engine-api.ts";
import { WorkApi } from "./work-api.ts";
import { ClientError } from "./client-error.ts";
import { HivePart, ifMatch } from "./hive-part.ts";
import type { ApiResponse, HttpClient } from "./http.ts";
import type { SentFiles, SentNotes, WriteOptions } from "./write-options.ts";
import {
  exported,
  flatTexts,
  hiveFinding,
  hiveFormats,
  hiveLocales,
  hiveProgress,
  type HiveFinding,
  type LocaleStats,
  type StringAddress,
} from "./schemas.ts";
import {
  notedStrings,
  stringWrites,
  toStringNotes,
  type ImportResult,
  type MovesResult,
  type NotedString,
  type SyncResult,
} from "./string-answers.ts";

export interface HiveLocale {
  /** As the Hive shows it: the custom code where one is set. */
  readonly code: string;
  readonly canonical: string;
  /** The canonical code of the locale whose texts stand where this one has none. */
  readonly inherits?: string;
  /** Whether the server makes its texts from those of the source, so that nothing else is known of it. */
  readonly isPseudo?: true;
}

export interface HiveLocales {
  readonly source: HiveLocale;
  readonly targets: readonly HiveLocale[];
}

/** Texts by the names of the Hive's files and by flattened keys. */
export type HiveTexts = ReadonlyMap<string, Texts>;

/** Which texts of a locale are given. */
export interface ExportRules {
  /** Whether the text that was approved last stands where one waits for a review. */
  readonly approved: boolean;
  /** Only texts with one of these tags, separated by commas. */
  readonly tag?: string;
  /** What stands where there is no translation; nothing if not given. */
  readonly missing?: "fallback";
  /** The least percentage of the locale that must be translated; nothing of it is given otherwise. */
  readonly minComplete?: number;
}

export interface ExportedTexts {
  readonly texts: HiveTexts;
  /** The percentage of a locale of which nothing is given, since too little is translated; undefined for others. */
  readonly leftOut: number | undefined;
}

export class HiveApi extends HivePart {
  readonly slug: string;
  readonly branches: BranchApi;
  readonly glossary: GlossaryApi;
  readonly pictures: PictureApi;
  /** Its commits, at its branch. */
  readonly history: HistoryApi;
  /** The translations that wait for a review, at its branch. */
  readonly review: ReviewApi;
  /** The queue of work, at its branch. */
  readonly work: WorkApi;
  /** Jobs of engines, at its branch. */
  readonly engines: EngineApi;
  /** All its tags, which belong to no branch. */
  readonly tags: TagApi;
  readonly translations: TranslationsApi;

  /** The URL of its server, without a slash at its end. */
  get server(): string {
    return this.http.server;
  }

  /** @param branch that all methods but those about branches are about; main if undefined. */
  constructor(http: HttpClient, slug: string, branch?: string) {
    super(http, `/api/hives/${encodeURIComponent(slug)}`, branch);
    this.slug = slug;
    this.branches = new BranchApi(http, this.path);
    this.glossary = new GlossaryApi(http, this.path);
    this.pictures = new PictureApi(http, this.path, branch);
    this.history = new HistoryApi(http, this.path, branch);
    this.review = new ReviewApi(http, this.path, branch);
    this.work = new WorkApi(http, this.path, branch);
    this.engines = new EngineApi(http, this.path, branch);
    this.tags = new TagApi(http, this.path);
    this.translations = new TranslationsApi(http, this.path, branch);
  }

  at(branch: string): HiveApi {
    return new HiveApi(this.http, this.slug, branch);
  }

  /** Makes the Hive. @throws ClientError, as every method does. */
  async create(
    source: HiveLocale,
    locales: readonly HiveLocale[],
    checks?: Partial<CheckSettings>,
  ): Promise<void> {
    await this.http.send({
      method: "POST",
      path: "/api/hives",
      body: { slug: this.slug, source_locale: toGiven(source), locales: locales.map(toGiven), checks },
      schema: z.object({ slug: z.string() }),
    });
  }

  /** The formats that it is told of files, on all branches; undefined from a server that cannot be told any. */
  async fileFormats(): Promise<ApiResponse<readonly FileFormat[] | undefined>> {
    const { data, commit } = await this.http.send({ method: "GET", path: this.path, schema: hiveFormats });
    return { data: data.checks.formats, commit };
  }

  /** @param ifAt the commit that the Hive must still be at: other formats that were set since would be lost. */
  async setFileFormats(formats: readonly FileFormat[], ifAt: string): Promise<void> {
    const parts = { body: { checks: { formats } }, headers: ifMatch(ifAt) };
    const schema = z.object({ slug: z.string() });
    await this.http.send({ method: "PATCH", path: this.path, ...parts, schema });
  }

  /** Adds a target locale, unless it is there: a retry finds the one that it added, or one of somebody else. */
  async addLocale(locale: HiveLocale): Promise<void> {
    const schema = z.object({ code: z.string() });
    const path = `${this.path}/locales`;
    try {
      await this.http.send({ method: "POST", path, body: toGiven(locale), schema });
    } catch (error) {
      if (!(error instanceof ClientError) || error.status !== 422) throw error;
      const { targets } = await this.locales();
      const { code, canonical } = locale;
      if (!targets.some((one) => one.code === code && one.canonical === canonical)) throw error;
    }
  }

  async locales(): Promise<HiveLocales> {
    const path = `${this.path}/locales`;
    const { data: page } = await this.http.send({ method: "GET", path, schema: hiveLocales });
    const locales = page.data.map(({ code, custom_code: custom, is_source: isSource, inherits }) => ({
      locale: {
        code: checkCode(custom ?? code),
        canonical: checkCode(code),
        ...(inherits != null && { inherits }),
      },
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
   */
  async texts(locale: string, at?: string): Promise<ApiResponse<HiveTexts>> {
    const { data, commit } = await this.exported(locale, at, { approved: false });
    return { data: data.texts, commit };
  }

  /** The texts of one locale as the rules of an export give them. @param at as {@link texts} takes it. */
  async exported(
    locale: string,
    at: string | undefined,
    { approved, tag, minComplete, missing }: ExportRules,
  ): Promise<ApiResponse<ExportedTexts>> {
    const state = approved ? "approved" : undefined;
    const least = minComplete?.toString();
    const query = { locale, at, names: "hive", state, tag, missing, min_complete: least };
    const { data, commit } = await this.request("GET", "/export", { query, schema: exported });
    const files = Array.from(data.files, ([name, content]) => [name, toTexts(name, content)] as const);
    return { data: { texts: new Map(files), leftOut: data.left_out?.[0]?.percent }, commit };
  }

  /** The files of one locale as JSON, nested as their source files are, by their names in the Hive. */
  async nestedFiles(locale: string, at: string): Promise<ReadonlyMap<string, string>> {
    const query = { locale, at, names: "hive", shape: "nested" };
    return (await this.data("GET", "/export", { query, schema: exported })).files;
  }

  /** The comments on strings, the newest first, with all that the server says of them. */
  async comments(): Promise<readonly object[]> {
    return (await this.all("/comments", {}, z.looseObject({}))).data;
  }

  /** The commit that the branch is at. */
  async head(): Promise<string> {
    return (await this.request("GET", "", { schema: hiveProgress })).commit;
  }

  /** How far each target locale is translated, by its code. */
  async progress(): Promise<ReadonlyMap<string, LocaleStats>> {
    const { locales } = await this.data("GET", "", { schema: hiveProgress });
    return new Map(Object.entries(locales));
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
    return this.allAt("/untranslated", filter, asRead(await openTexts()), revision);
  }

  /** The notes of strings, in the order of the source. @param only.tag tags, separated by commas. */
  async noteList(only: {
    readonly file: string | undefined;
    readonly tag: string | undefined;
  }): Promise<ApiResponse<readonly NotedString[]>> {
    const { noted } = await notedStrings();
    return this.allAt("/notes", only, asRead(noted));
  }

  async notes({ file, key }: StringAddress): Promise<StringNotes> {
    const { listNotes } = await notedStrings();
    const [notes] = (await this.call(listNotes, { query: { file, key } })).data.data;
    return notes === undefined ? {} : toStringNotes(notes);
  }

  /** Changes what the team says about strings, by file and key. @param expected what members must be before. */
  async changeNotes(
    files: Readonly<Record<string, Readonly<Record<string, TeamNoteChange>>>>,
    expected?: typeof files,
  ): Promise<ApiResponse<{ readonly unchanged: number; readonly unknown: number }>> {
    const { notes } = await import("../../api/content/notes.ts");
    return this.call(notes.operations.changeNotes, { body: { files, expected } });
  }

  /** The findings of the checks in the Hive. @param severity errors and warnings if not given. @param at HEAD if not given. */
  async findings(severity?: Severity, at?: string): Promise<readonly HiveFinding[]> {
    return (await this.allAt("/checks", { severity }, hiveFinding, at)).data;
  }

  /** Accepts a finding as a false alarm. @returns whether there was such a finding. */
  async accept(
    alarm: Pick<HiveFinding, "locale" | "file" | "key"> & { readonly check: string },
  ): Promise<boolean> {
    const { checks } = await import("../../api/content/checks.ts");
    return (await this.call(checks.operations.acceptFinding, { body: alarm })).data.unknown === 0;
  }

  /**
   * Syncs source files to the Hive; a file without content is removed.
   * @param options.base the same files as they were before the changes that are sent. Nothing else is changed then.
   * @param options.notes what the files say about their texts; files that it does not name keep what they said.
   * @param options.detectMoves whether strings that have gone and come again elsewhere keep their translations.
   */
  async sync(
    files: SentFiles,
    options: WriteOptions & {
      readonly maxDeletions?: number;
      readonly base?: SentFiles;
      readonly notes?: SentNotes;
      readonly baseNotes?: SentNotes;
      readonly detectMoves: boolean;
    },
  ): Promise<ApiResponse<SyncResult>> {
    const { dryRun, ref, maxDeletions, base, notes, baseNotes, detectMoves } = options;
    const { syncStrings } = await stringWrites();
    return this.call(syncStrings, {
      dryRun,
      ref,
      query: { max_deletions: maxDeletions?.toString(), detect_moves: detectMoves ? "true" : undefined },
      body: { files, notes, base_files: base, base_notes: baseNotes },
    });
  }

  /**
   * Adds source strings, and changes those that are there; none is deleted. In several requests where the server takes only
   * less at once.
   */
  async importSource(files: SentFiles, options: WriteOptions): Promise<ApiResponse<ImportResult>> {
    const { importStrings } = await stringWrites();
    try {
      return await this.call(importStrings, { dryRun: options.dryRun, ref: options.ref, body: { files } });
    } catch (error) {
      const halves = error instanceof ClientError && error.status === 413 ? inHalves(files) : undefined;
      if (halves === undefined) throw error;
      const [first, second] = halves;
      const { data } = await this.importSource(first, options);
      const rest = await this.importSource(second, options);
      return { data: sumOf(data, rest.data), commit: rest.commit };
    }
  }

  async move(moves: readonly NamedMove[], { dryRun, ref }: WriteOptions): Promise<ApiResponse<MovesResult>> {
    const { moveStrings } = await stringWrites();
    return this.call(moveStrings, { dryRun, ref, body: { moves } });
  }
}

function sumOf(a: ImportResult, b: ImportResult): ImportResult {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    warnings: [...(a.warnings ?? []), ...(b.warnings ?? [])],
  };
}

function toGiven({ code, canonical }: HiveLocale): object {
  return { code: canonical, custom_code: code === canonical ? undefined : code };
}

/** Codes become parts of file paths, so a code from the server must not lead to another folder. */
function checkCode(code: string): string {
  if (isCustomCode(code)) return code;
  throw new ClientError("error", "The server names a locale whose code cannot be one.");
}

function toTexts(name: string, content: string): Texts {
  const { success, data } = flatTexts.safeParse(jsonOrUndefined(content));
  if (success) return data;
  throw new ClientError("error", `The server's content of ${JSON.stringify(name)} is not as Skep has it.`);
}
