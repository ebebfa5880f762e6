/** Imports a file that somebody uploaded: as source strings, or as the translations of a locale. */
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { invalid } from "../../domain/errors.ts";
import { targetLocale, type HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { slugOf } from "../../domain/commits/branch-name.ts";
import { lastRule } from "../../domain/files/file-rules.ts";
import { fileNameProblem, isFileName } from "../../domain/names.ts";
import { toNotes } from "../../domain/notes/note-files.ts";
import { appNoteSchema } from "../../domain/notes/note-schema.ts";
import type { SourceConflictStrategy } from "../../domain/plans/source-import.ts";
import type { OverwriteStrategy } from "../../domain/plans/translation-import.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { toSourceFiles, toTranslationFiles } from "../../domain/strings/payload.ts";
import { translatableTexts } from "../../domain/strings/string-file.ts";
import type { CommitResult, WriteContext } from "../access.ts";
import {
  importSource,
  importTranslations,
  type SourceImportResult,
  type TranslationImportCounts,
} from "../content/imports.ts";
import type { ContentStorage } from "../storage.ts";
import { formatOfUpload, readUpload, type UploadedFile } from "./read-upload.ts";

interface Upload {
  readonly file: UploadedFile;
  /** The name of the file in the Hive; found by the name of the upload if not given. */
  readonly name?: string;
  /** Its format; found by the name of the upload if not given. */
  readonly format?: string;
}

/** A file of source strings. A sync also removes the strings that the file does not have, and finds those that moved. */
interface SourceUpload extends Upload {
  readonly kind: "source";
  readonly mode: "import" | "sync";
  readonly conflictStrategy: SourceConflictStrategy;
}

interface TranslationsUpload extends Upload {
  readonly kind: "translations";
  /** A code as the caller gave it. */
  readonly locale: string;
  readonly overwriteStrategy: OverwriteStrategy;
  /** Whether texts that equal their source texts are translations, and not what stands in for them. */
  readonly isSameTaken: boolean;
}

export type FileUpload = SourceUpload | TranslationsUpload;

/** What an import does: the one of source strings, or the one of translations. */
export type ImportCounts = SourceImportResult | TranslationImportCounts;

/** A file that was read. */
export interface ReadyImport {
  /** Its name in the Hive. */
  readonly name: string;
  /** Imports it, as often as that is asked for. */
  readonly write: (context: WriteContext) => Promise<CommitResult<ImportCounts>>;
}

/**
 * Reads a file for its import.
 * @throws SkepError `invalid` on `locale`, `name`, `format` or `upload`.
 */
export async function readyImport(
  storage: ContentStorage,
  branch: HiveBranch,
  upload: FileUpload,
): Promise<ReadyImport> {
  const { settings, index } = await storage.hives.at(branch).snapshot();
  return upload.kind === "source"
    ? readySource(storage, branch, upload, settings)
    : readyTranslations(storage, branch, upload, { settings, source: index.source });
}

async function readySource(
  storage: ContentStorage,
  branch: HiveBranch,
  { file, format, name = file.name, mode, conflictStrategy }: SourceUpload,
  settings: HiveSettings,
): Promise<ReadyImport> {
  const problem = fileNameProblem(name);
  if (problem !== undefined) throw invalid("name", problem);
  const code = codeOf(settings.sourceLocale);
  const {
    content,
    notes: said,
    others,
  } = await readUpload(file, formatFor(settings, { chosen: format, uploaded: file.name, name }), {
    locale: code,
    sourceLocale: code,
  });
  const files = await atUpload(() => toSourceFiles({ [name]: content }));
  const notes = await atUpload(() => toNotes({ [name]: Object.fromEntries(said) }, "notes", appNoteSchema));
  const detectMoves = mode === "sync";
  // A file that is imported may have some of the strings alone.
  const keepsOtherNotes = mode === "import";
  const sent = {
    files,
    notes,
    keepsOtherNotes,
    mode,
    conflictStrategy,
    detectMoves,
    leavesSkipped: others,
  };
  return { name, write: (context) => importSource(storage, branch, sent, context) };
}

async function readyTranslations(
  storage: ContentStorage,
  branch: HiveBranch,
  { file, format, name: named, locale: code, overwriteStrategy, isSameTaken }: TranslationsUpload,
  { settings, source }: { readonly settings: HiveSettings; readonly source: SourceFiles },
): Promise<ReadyImport> {
  const locale = codeOf(targetLocale(settings, code, slugOf(branch)));
  const name = named ?? nameMeant(source, file.name);
  const present = isFileName(name) ? source.get(name) : undefined;
  if (present === undefined) throw invalid("name", "this Hive has no such file");
  const sourceTexts = translatableTexts(present);
  const context = { locale, sourceLocale: codeOf(settings.sourceLocale), sourceTexts };
  const known = formatFor(settings, { chosen: format, uploaded: file.name, name });
  const { texts, others } = await readUpload(file, known, context);
  const taken = [...texts].filter(([key, text]) => isSameTaken || text !== sourceTexts.get(key));
  const files = await atUpload(() => toTranslationFiles({ [name]: Object.fromEntries(taken) }));
  const sent = { locale, files, overwriteStrategy, leavesSkipped: others };
  return { name, write: (given) => importTranslations(storage, branch, sent, given) };
}

/**
 * The format of an uploaded file: the one that somebody chose, or that the Hive knows of the file it is for, if both names
 * stand for one; undefined where its own name says it.
 */
function formatFor(
  { checks }: HiveSettings,
  file: { readonly chosen: string | undefined; readonly uploaded: string; readonly name: string },
): string | undefined {
  const { chosen, uploaded, name } = file;
  const isAlike = formatOfUpload(uploaded) === formatOfUpload(name);
  return chosen ?? (isAlike ? lastRule(checks?.formats ?? [], name)?.format : undefined);
}

/** The file of that name, or the only one whose name stands for the same format. @throws SkepError `invalid`. */
function nameMeant(source: SourceFiles, uploaded: string): string {
  if (isFileName(uploaded) && source.has(uploaded)) return uploaded;
  const format = formatOfUpload(uploaded);
  const [only, ...more] = [...source.keys()].filter((name) => formatOfUpload(name) === format);
  if (only !== undefined && more.length === 0) return only;
  throw invalid("name", "it is not plain which file of the Hive its texts belong to; choose one");
}

/** What cannot be stored is a fault of the file. */
async function atUpload<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "invalid")
      throw invalid("upload", error.message, { cause: error });
    throw error;
  }
}
