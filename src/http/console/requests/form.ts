/** Parses forms that browsers send. */
import type { H3Event } from "h3";
import { failure } from "../../../domain/errors.ts";
import { readFormBody } from "../../requests/body.ts";
import { noShare, type BodyShare } from "../../requests/body-budget.ts";

/** The fields of a form. */
export interface Form {
  /** The text of a field, with `\n` as line ends; empty when it is missing. */
  readonly text: (name: string) => string;
  /** The text without surrounding blanks; undefined when it is empty. */
  readonly word: (name: string) => string | undefined;
  /** The words of a field, separated by commas or blanks; undefined if there are none. */
  readonly words: (name: string) => readonly string[] | undefined;
  /** All texts of a field that may be missing or repeated. */
  readonly all: (name: string) => readonly string[];
  /** The first text of each field. */
  readonly values: Readonly<Record<string, string>>;
}

/** The limit for forms that do not belong to a team. */
export const smallFormBytes = 16_384;

/** The forms of requests, after they were read. */
const forms = new WeakMap<Request, Form>();

/**
 * Reads a form.
 * @param limit in bytes.
 * @param share the reserved part of the memory for bodies; the caller releases it.
 * @throws SkepError `unsupported-media-type`, `too-large`, `busy` or `malformed`.
 */
export async function readForm(event: H3Event, limit: number, share: BodyShare): Promise<Form> {
  const fields = new URLSearchParams((await readFormBody(event, limit, share)).toString("utf8"));
  const all = (name: string): readonly string[] => fields.getAll(name).map(toLines);
  const text = (name: string): string => all(name)[0] ?? "";
  const word = (name: string): string | undefined => text(name).trim() || undefined;
  const words = (name: string): readonly string[] | undefined =>
    word(name)
      ?.split(/[\s,]+/)
      .filter((each) => each !== "");
  const values = Object.fromEntries([...new Set(fields.keys())].map((name) => [name, text(name)]));
  const form: Form = { all, text, word, words, values };
  forms.set(event.req, form);
  return form;
}

/** The fields for longer input. */
const writtenFields = ["text", "message"];

/** The user's input in the form of a failed request, so that it is not lost. Never rejects. */
export async function writtenIn(event: H3Event): Promise<readonly string[]> {
  const form =
    forms.get(event.req) ?? (await readForm(event, smallFormBytes, noShare).catch(() => undefined));
  return writtenFields.flatMap((name) => form?.all(name) ?? []).filter((text) => text.trim() !== "");
}

/** Browsers send every line end of a field as CR and LF. */
function toLines(text: string): string {
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
