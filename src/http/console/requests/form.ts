/** Forms as browsers send them. */
import type { H3Event } from "h3";
import { failure } from "../../../domain/errors.ts";
import { readFormBody } from "../../requests/body.ts";
import type { BodyShare } from "../../requests/body-budget.ts";

/** The fields of a form. */
export interface Form {
  /** The text of a field; empty when it is missing. Line ends are `\n`, whatever the browser made of them. */
  readonly text: (name: string) => string;
  /** The same for a field that may be missing, or given more than once. */
  readonly all: (name: string) => readonly string[];
}

/** The most that forms may hold that are not about a team: a token and an address fit many times. */
export const smallFormBytes = 16_384;

/**
 * Reads a form.
 * @param limit in bytes.
 * @param share of the memory for bodies; the caller releases it.
 * @throws SkepError `unsupported-media-type`, `too-large`, `busy` or `malformed`.
 */
export async function readForm(event: H3Event, limit: number, share: BodyShare): Promise<Form> {
  const fields = new URLSearchParams((await readFormBody(event, limit, share)).toString("utf8"));
  const all = (name: string): readonly string[] => fields.getAll(name).map(toLines);
  return { all, text: (name) => all(name)[0] ?? "" };
}

/** Browsers send every line end of a field as CR and LF. */
function toLines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/**
 * Refuses a form that another site had a browser send. Browsers say where a form comes from; what does not say so is
 * no browser, and has no session that it could misuse.
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
