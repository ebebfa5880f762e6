/** What main and the tags of a repository reach, asked of git. */
import nodeFs from "node:fs";
import { isOid, type Oid } from "../domain/names.ts";
import { DurableFs } from "./durable-fs.ts";
import { startGit } from "./git-process.ts";
import { MainRef } from "./main-ref.ts";
import { readShownRefs } from "./shown-refs.ts";

/** The references that others may see; what these reach they may have. */
export const visibleRefs = ["refs/heads/main", "refs/tags"] as const;

/**
 * Those of some objects that no visible reference reaches, or that are not there at all.
 * @returns undefined when there is no git.
 * @throws SkepError as {@link MainRef.read} does; Error when the signal ends it.
 */
export async function findUnreachable(
  gitdir: string,
  oids: ReadonlySet<Oid>,
  signal: AbortSignal,
): Promise<ReadonlySet<Oid> | undefined> {
  const left = new Set(oids);
  // Nearly always only main is asked for, or tips are. With each tag comes what it stands for.
  if (left.size > 0) left.delete(readMain(gitdir));
  if (left.size > 0) for (const tip of readShownRefs(gitdir)?.tips ?? []) left.delete(tip);
  if (left.size === 0) return left;
  const format = "--format=%(objectname)%0a%(*objectname)";
  const tips: Oid[] = [];
  const listed = await eachOid(gitdir, ["for-each-ref", format, ...visibleRefs], { signal }, (oid) => {
    tips.push(oid);
    left.delete(oid);
    return true;
  });
  if (listed === undefined) return undefined;
  if (left.size === 0 || tips.length === 0) return left;
  // Objects come with the first commit that has them: what a partial clone asks for is found at the newest ones.
  const walk = ["rev-list", "--objects", "--in-commit-order", "--no-object-names", "--stdin"];
  await eachOid(gitdir, walk, { signal, input: `${tips.join("\n")}\n` }, (oid) => {
    left.delete(oid);
    return left.size > 0;
  });
  return left;
}

function readMain(gitdir: string): Oid {
  return new MainRef(new DurableFs(nodeFs), gitdir).read();
}

/** Reads object names, one a line, as long as they are wanted. */
async function eachOid(
  gitdir: string,
  args: readonly string[],
  options: { readonly signal: AbortSignal; readonly input?: string },
  visit: (oid: Oid) => boolean,
): Promise<true | undefined> {
  const output = await startGit(gitdir, args, options);
  if (output === undefined) return undefined;
  let rest = "";
  const chunks: AsyncIterable<string> = output.setEncoding("latin1");
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    // Leaving the loop ends the output, and with it the process.
    for (const line of lines) if (isOid(line) && !visit(line)) return true;
  }
  return true;
}
