/** Requests to the identity provider, and the errors of those that fail. */
import { toOneLine } from "../../domain/redact.ts";

const maxResponseBytes = 1024 * 1024;

/** The provider did not respond, or with an error of its server. */
export class ProviderUnavailable extends Error {}

/** Sends a request to the provider, and reads its response up to a limit. @throws ProviderUnavailable */
export async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  let response;
  try {
    response = await fetch(url, { ...options, redirect: "manual" });
    if (response.status >= 500) throw new Error(`it answered with ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxResponseBytes) throw new Error("its answer is too long");
      chunks.push(chunk);
    }
    const { status, headers } = response;
    return new Response([204, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers });
  } catch (cause) {
    await response?.body?.cancel().catch(() => undefined);
    throw new ProviderUnavailable(cause instanceof Error ? cause.message : "it did not answer", { cause });
  }
}

/** Whether an error, or one that caused it, is a {@link ProviderUnavailable}. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderUnavailable) return true;
  }
  return false;
}

/** The messages of an error and its causes, for the log. They name claims, and not their values. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, "error");
    messages.push(typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : cause.message);
  }
  return toOneLine([[...new Set(messages)].join(": ")]).slice(0, 200);
}
