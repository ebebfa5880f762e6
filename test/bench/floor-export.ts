/** The floor of a first export of all, in a process as new as the server: its argument is a repository. */
import { exportByHand } from "./starts.ts";
import { timed } from "./measure.ts";

const [, , gitdir = ""] = process.argv;
process.stdout.write(`${await timed(() => exportByHand(gitdir))}\n`);
