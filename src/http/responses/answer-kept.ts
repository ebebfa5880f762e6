/** The end of every read: a kept answer in the encoding asked for, remembered with what it rests on. */
import type { H3Event } from "h3";
import type { Oid } from "../../domain/names.ts";
import type { Caller } from "../../service/access.ts";
import type { HiveHead } from "../../service/content/overviews.ts";
import type { Answer, ResponseCache } from "./response-cache.ts";
import { encodingFor } from "./compression.ts";
import { readName, type ReadFastPath } from "./read-fast-path.ts";
import { respondWith, toResponseHeaders } from "./respond.ts";
import { findingsOf, note } from "../requests/trace.ts";

/** Who was let in, and the version of the settings before they were looked up. */
export interface AuthContext {
  readonly caller: Caller;
  readonly settings: string | undefined;
}

export interface KeptAnswer {
  readonly answer: Answer;
  /** Where HEAD was in each Hive that the answer is about; undefined when it rests on more than that. */
  readonly heads: readonly HiveHead[] | undefined;
  /** What it was made from, where it is about one Hive. */
  readonly commit?: Oid;
  /** Whether it never changes. */
  readonly isFixed?: boolean;
}

/** Answers with what is kept, and remembers that the same request may be answered so again. */
export async function answerKept(
  { req }: H3Event,
  { answer: plain, heads, commit, isFixed = false }: KeptAnswer,
  { answers, known }: { readonly answers: ResponseCache; readonly known: ReadFastPath },
  { caller, settings }: AuthContext,
): Promise<Response> {
  const answer = await answers.encoded(plain, encodingFor(req.headers.get("accept-encoding")));
  const headers = toResponseHeaders(answer, commit, isFixed);
  note(req, { commit });
  const node = req.runtime?.node?.req;
  const name = node && readName(node);
  if (name !== undefined && settings !== undefined && heads !== undefined) {
    const { expires } = caller.token;
    known.remember(name, {
      settings,
      expires: expires === undefined ? Infinity : Date.parse(expires),
      heads,
      answer: answer.key,
      headers: { whole: headers.whole.flat(), notModified: headers.notModified.flat() },
      findings: findingsOf(req),
    });
  }
  return respondWith(req, answer, headers);
}
