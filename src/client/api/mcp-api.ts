/** Sends requests of tools to the server for `skep mcp`. */
import { z } from "zod";
import { ClientError } from "./client-error.ts";
import type { ApiRequest, HttpClient } from "./http.ts";

type ToolRequest = Pick<ApiRequest<z.ZodUnknown>, "method" | "path" | "body">;

/**
 * Sends a request as a model.
 * @param model its name, if it is known.
 * @returns the body of the response; of an error its code and message.
 */
export async function sendAsModel(
  http: HttpClient,
  model: string | undefined,
  { method, path, body }: ToolRequest,
): Promise<{ readonly isError: boolean; readonly body: unknown }> {
  const headers = { "x-commit-origin": "model", "x-commit-model": model };
  try {
    const { data } = await http.send({ method, path, body, headers, schema: z.unknown(), hasCommit: false });
    return { isError: false, body: data };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { isError: true, body: { code: error.code ?? error.kind, message: error.message } };
  }
}
