/** Answers that are the same as long as the server runs: made when first asked for, kept and compressed like reads. */
import type { ResponseCache } from "./response-cache.ts";
import { encodingFor } from "./compression.ts";
import { respondWith } from "./respond.ts";

export interface StaticResponse {
  /** Unlike that of any other. */
  readonly name: string;
  readonly type: string;
  readonly headers?: readonly [string, string][];
  readonly make: () => Promise<Uint8Array>;
}

/** The answer, or 304 when the caller has it. Caches ask again each time: the next version may have another. */
export async function respondStatic(
  request: Request,
  answers: ResponseCache,
  { name, type, headers = [], make }: StaticResponse,
): Promise<Response> {
  const plain = await answers.get(["static", name], make);
  const answer = await answers.encoded(plain, encodingFor(request.headers.get("accept-encoding")));
  const notModified: [string, string][] = [
    ["etag", answer.etag],
    ["cache-control", "no-cache"],
    ["vary", "Accept-Encoding"],
    ["x-content-type-options", "nosniff"],
    ...headers,
  ];
  const whole: [string, string][] = [
    ["content-type", type],
    ["content-length", String(answer.body.byteLength)],
    ...(answer.encoding === undefined
      ? []
      : [["content-encoding", answer.encoding] satisfies [string, string]]),
    ...notModified,
  ];
  return respondWith(request, answer, { whole, notModified });
}
