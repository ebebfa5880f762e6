/**
 * The floor of a first answer, in a process as new as the server. Its arguments are a repository, and a revision and
 * paths to read only these; without them it makes an export of all.
 */
import { timed } from "./measure.ts";
import { exportByHand, readByHand } from "./starts.ts";

const [, , gitdir = "", revision, ...paths] = process.argv;
const ms = await timed(async () => {
  if (revision === undefined) await exportByHand(gitdir);
  for (const path of paths) await readByHand(gitdir, revision, path);
});
process.stdout.write(`${ms}\n`);
