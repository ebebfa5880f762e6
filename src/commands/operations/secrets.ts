/** Secrets that commands send: what is given on the command line says where they are. */
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import type { OperationCommand } from "../../api/command-table.ts";
import { ClientError } from "../../client/api/client-error.ts";

/** The most characters of a secret. */
const maxLength = 8_192;

/**
 * A body with the secrets that its members name.
 * @param isOnMachine whether it goes to a storage of this machine, whose server reads `env:` and `file:` itself.
 * @throws ClientError `misuse` for a place that is none, or where nothing can be read.
 */
export async function withSecrets(
  { flags }: Pick<OperationCommand, "flags">,
  body: object,
  isOnMachine: boolean,
): Promise<object> {
  const read: Record<string, unknown> = { ...body };
  for (const { member, name, reads } of flags) {
    const { [member]: place } = read;
    if (reads === "secret" && typeof place === "string")
      read[member] = await secretAt(place, name, isOnMachine);
  }
  return read;
}

async function secretAt(place: string, flag: string, isOnMachine: boolean): Promise<string> {
  const misuse = (problem: string): ClientError => new ClientError("misuse", `--${flag} ${problem}`);
  const [, kind, where = ""] = /^(env|file):(.+)$/.exec(place) ?? [];
  if (place !== "-" && kind === undefined)
    throw misuse("must be env:NAME, file:PATH, or - for the standard input: a secret is never an argument");
  if (isOnMachine && place !== "-") return place;
  const found = kind === "env" ? process.env[where] : await readable(place, where);
  const secret = found?.slice(0, maxLength).trim() ?? "";
  if (secret === "")
    throw misuse(`names ${place === "-" ? "the standard input" : place}, where nothing can be read`);
  return secret;
}

/** What is in a file, or comes from the standard input; undefined where that cannot be read. */
async function readable(place: string, path: string): Promise<string | undefined> {
  try {
    return place === "-" ? await readAll(process.stdin) : await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
