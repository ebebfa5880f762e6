/** Reads the token, which comes only from the environment or a file. */
import { readFile } from "node:fs/promises";
import { isLoopback } from "../../domain/url-path.ts";
import { ClientError } from "./client-error.ts";

/**
 * Finds the token: in the file that `--token-file` gives, in `SKEP_TOKEN`, or where `skep login` keeps the tokens of servers.
 * @param file the path that `--token-file` gives.
 * @param find gives what `skep login` keeps for the server.
 * @throws ClientError `misuse` when there is none, or it cannot be one; the message never repeats it.
 */
export async function readToken(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  find: () => Promise<string | undefined>,
): Promise<string> {
  const given = file === undefined ? environment.SKEP_TOKEN || (await find()) : await readTokenFile(file);
  const origin = file ?? "SKEP_TOKEN";
  if (given === undefined || given.trim() === "") {
    throw new ClientError(
      "misuse",
      file === undefined
        ? "There is no token: sign in with skep login, set SKEP_TOKEN, or give --token-file."
        : `${file}: there is no token in it.`,
    );
  }
  const token = given.trim();
  // Anything else cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ClientError("misuse", `${origin}: must hold a token and no more.`);
  return token;
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new ClientError("misuse", `${file}: the token cannot be read (${code}).`, { cause });
  }
}

/** A warning about a server to which the token is sent unencrypted; undefined if it is not. */
export function insecureServerWarning(server: string): string | undefined {
  const { protocol, hostname } = new URL(server);
  if (protocol === "https:" || isLoopback(hostname) || hostname.endsWith(".localhost")) return undefined;
  return `${server} is not https: the token can be read by everybody on the way.`;
}
