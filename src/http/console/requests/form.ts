/** Forms that browsers send, and the values and errors of forms: of filters in an address, and of forms that were sent. */
import type { H3Event } from "h3";
import { failure, isFailure, isSkepError, type ErrorCode, type SkepError } from "../../../domain/errors.ts";
import { readFormBody, noShare, readUploadBody, type BodyShare } from "../../requests/body.ts";
import { z } from "zod";
import { themes } from "../../../domain/access/person.ts";
import { pageLanguageCodes, type PageLanguageCode } from "../../../domain/access/page-language.ts";
import { check } from "../../schemas/schemas.ts";
import { messageNow, reasonNow } from "../texts/reasons.ts";
import { textIn } from "../texts/texts.ts";

/** A file that a browser sent. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Form {
  /** The text of a field, with `\n` as line ends; empty when it is missing. */
  readonly text: (name: string) => string;
  /** The text without surrounding blanks; undefined when it is empty. */
  readonly word: (name: string) => string | undefined;
  /** The words of a field, separated by commas or blanks; undefined if there are none. */
  readonly words: (name: string) => readonly string[] | undefined;
  /** All texts of a field that may be missing or repeated. */
  readonly all: (name: string) => readonly string[];
  /** The file of a field, if one was chosen. */
  readonly file: (name: string) => SentFile | undefined;
  /** The first text of each field. */
  readonly values: Readonly<Record<string, string>>;
}

const languageChoice = z.enum(["", ...pageLanguageCodes]);

/** The language that a form chooses; undefined to leave it to the browser. @throws SkepError `invalid` on `language`. */
export function chosenLanguage(form: Form): PageLanguageCode | undefined {
  const code = check(languageChoice, form.text("language"), "language");
  return code === "" ? undefined : code;
}

const themeChoice = z.enum(["system", ...themes]);

/** The colours that a form chooses. @throws SkepError `invalid` on `theme`. */
export function chosenTheme(form: Form): z.output<typeof themeChoice> {
  return check(themeChoice, form.text("theme"), "theme");
}

/** The limit for forms that do not belong to a team. */
export const smallFormBytes = 16_384;

/** The limit for the fields of a form, far above the boxes of a page that offers all Hives and all locales of a team. */
const maxFields = 20_000;

const forms = new WeakMap<Request, Form>();

/**
 * Reads a form.
 * @param limit in bytes.
 * @param share the reserved part of the memory for bodies; the caller releases it.
 * @param takesFiles whether the form has a place for files.
 * @throws SkepError `unsupported-media-type`, `too-large`, also for too many fields, `busy` or `malformed`.
 */
export async function readForm(
  event: H3Event,
  limit: number,
  share: BodyShare,
  takesFiles = false,
): Promise<Form> {
  const uploaded = takesFiles ? await readUploadBody(event, limit, share, requireFew) : undefined;
  const { fields, files } =
    uploaded === undefined
      ? { fields: fieldsIn(await readFormBody(event, limit, share)), files: noFiles }
      : await partsOf(uploaded);
  const form = formOf(fields, (name) => files.get(name));
  forms.set(event.req, form);
  return form;
}

/** The fields in a body. @throws SkepError `too-large`. */
function fieldsIn(body: Buffer): URLSearchParams {
  let count = 1;
  // Before they are parsed, which takes many times the memory of the body.
  for (let at = body.indexOf("&"); at !== -1; at = body.indexOf("&", at + 1)) count++;
  requireFew(count);
  return new URLSearchParams(body.toString("utf8"));
}

function requireFew(count: number): void {
  if (count <= maxFields) return;
  const message = `The form has more than ${maxFields} fields; send it in several parts.`;
  throw failure("too-large", message, { publicCode: "too_many_values" });
}

function formOf(fields: Iterable<readonly [name: string, text: string]>, file: Form["file"]): Form {
  const texts = new Map<string, string[]>();
  for (const [name, text] of fields) {
    const present = texts.get(name);
    if (present === undefined) texts.set(name, [toLines(text)]);
    else present.push(toLines(text));
  }
  const all = (name: string): readonly string[] => texts.get(name) ?? [];
  const text = (name: string): string => all(name)[0] ?? "";
  const word = (name: string): string | undefined => text(name).trim() || undefined;
  const words = (name: string): readonly string[] | undefined =>
    word(name)
      ?.split(/[\s,]+/)
      .filter((each) => each !== "");
  const values = Object.fromEntries(Array.from(texts, ([name, [first = ""]]) => [name, first]));
  return { all, text, word, words, file, values };
}

/** A form with other values of some fields. */
export function formWith(form: Form, values: ReadonlyMap<string, readonly string[]>): Form {
  if (values.size === 0) return form;
  const names = [...new Set([...Object.keys(form.values), ...values.keys()])];
  const textsOf = (name: string): readonly string[] => values.get(name) ?? form.all(name);
  const fields = names.flatMap((name) => textsOf(name).map((text) => [name, text] as const));
  return formOf(fields, form.file);
}

const noFiles: ReadonlyMap<string, SentFile> = new Map();

/** The texts and the files of a form. Where none was chosen, browsers send an empty one without a name. */
async function partsOf(
  parts: FormData,
): Promise<{ readonly fields: URLSearchParams; readonly files: ReadonlyMap<string, SentFile> }> {
  const fields = new URLSearchParams();
  const files = new Map<string, SentFile>();
  for (const [name, value] of parts) {
    if (typeof value === "string") fields.append(name, value);
    else if (value.name !== "")
      files.set(name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return { fields, files };
}

/** The texts in a field, which commas separate, each once. */
export function listIn({ text }: Form, name: string): readonly string[] {
  const texts = text(name)
    .split(",")
    .map((one) => one.trim());
  return [...new Set(texts.filter((one) => one !== ""))];
}

/** The hidden field that names the fields of a form into which people write. */
export const writtenField = "written";
/** The fields for longer input of forms without it. */
const writtenFields = ["text", "message", "question", "reason"];

/** The user's input in the form of a failed request, so that it is not lost. Never rejects. */
export async function writtenIn(event: H3Event): Promise<readonly string[]> {
  const form =
    forms.get(event.req) ?? (await readForm(event, smallFormBytes, noShare).catch(() => undefined));
  const names = form?.words(writtenField) ?? writtenFields;
  return names.flatMap((name) => form?.all(name) ?? []).filter((text) => text.trim() !== "");
}

/** Browsers send every line end of a field as CR and LF. */
export function toLines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/**
 * Refuses a form that another site made a browser send. Browsers send the origin of a form; a client that does not is
 * no browser, and has no session to misuse.
 * @throws SkepError `forbidden`.
 */
export function requireOwnOrigin({ headers }: Request, host: string): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwnSite = site === null || site === "same-origin" || site === "none";
  const isOwnOrigin = origin === null || (URL.canParse(origin) && new URL(origin).host === host);
  if (isOwnSite && isOwnOrigin) return;
  throw failure("forbidden", "This form was sent from a page of another site, so nothing was done.");
}

export interface FormState {
  /** Identifies the form on its page. */
  readonly form: string;
  readonly values: Readonly<Record<string, string | undefined>>;
  /** All values of a field with several values. */
  readonly all: Form["all"];
  readonly problems: ReadonlyMap<string, string>;
}

/** The state of a form without input. */
function emptyForm(form: string): FormState {
  return { form, values: {}, all: () => [], problems: new Map() };
}

/** The state of a form that was sent, of which nothing is wrong by itself. */
export function writtenState(form: string, { values, all }: Form): FormState {
  return { form, values, all, problems: new Map() };
}

/** The state of one form, if it is the form that was sent. */
export function stateOf(submitted: FormState | undefined, form: string): FormState {
  return submitted?.form === form ? submitted : emptyForm(form);
}

/** What is wrong with a form, or with an engine that it asks, rather than with the server or with who sends it. */
const ofForms: ReadonlySet<ErrorCode> = new Set([
  "invalid",
  "conflict",
  "quota",
  "not-found",
  "engine-failed",
]);

/** A form that was refused, to be shown again. */
export interface RefusedForm {
  readonly state: FormState;
  /** The status of the answer. */
  readonly status: number;
}

/**
 * What a form is shown with that was refused: what was written, and what is wrong.
 * @param form identifies it on its page.
 * @throws the error, if it is not about the form.
 */
export function refusedBy(error: unknown, form: string, sent: Form): RefusedForm {
  if (!isSkepError(error) || !ofForms.has(error.code)) throw error;
  const state = { ...writtenState(form, sent), problems: problemsOf(error) };
  return { state, status: error.code === "conflict" ? 409 : 422 };
}

/** The filters of a list, and its content if they are valid. */
export interface Filtered<Result> extends FormState {
  /** The content of the list; undefined if a filter is invalid. */
  readonly result: Result | undefined;
}

/**
 * Reads a list with the filters of an address.
 * @param read gives the content of the list.
 * @throws errors of `read`, except `invalid`, which is in the result.
 */
export async function readFiltered<Schema extends z.ZodType, Result>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
  read: (filters: z.output<Schema>) => Promise<Result>,
): Promise<Filtered<Result>> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const state = { ...emptyForm("filter"), values: Object.fromEntries(given) };
  try {
    return { ...state, result: await read(check(schema, query, "query")) };
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    const problems = Array.from(problemsOf(error), ([field, problem]) => {
      return [field, textIn("filter-problem", field) ?? problem] as const;
    });
    return { ...state, problems: new Map(problems), result: undefined };
  }
}

/** The fields of names that are taken, or that nothing has. */
const namedBy = new Map([
  ["tag_exists", "name"],
  ["branch_exists", "name"],
  ["slug_taken", "slug"],
  ["person_exists", "id"],
  ["channel_exists", "name"],
  ["unknown_branch", "branch"],
]);

/** The errors by field; an error without a field has an empty name. What is written for programs has a text of its own. */
export function problemsOf(error: SkepError): ReadonlyMap<string, string> {
  const own = textIn("error-message", error.publicCode);
  if (own !== undefined || !isFailure(error, "invalid")) {
    return new Map([
      [
        namedBy.get(error.publicCode) ?? "",
        own ?? messageNow({ message: error.message, code: error.publicCode }),
      ],
    ]);
  }
  return new Map(error.data.issues.map(({ field, message }) => [field, problemNow(field, message)]));
}

/** The message of an issue for the reader: in their language, without the member of the API that it begins with. */
export function problemNow(member: string, message: string): string {
  return reasonNow(withoutMember(member, message));
}

/** Without the member, and options of commands. */
function withoutMember(member: string, message: string): string {
  const prefix = `${member}: `;
  const problem = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return problem.replaceAll(/ \((?:[^()]* )?--[a-z][^()]*\)/g, "");
}
