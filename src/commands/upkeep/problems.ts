/** Problems of a storage, as commands print them. */
import type { FoundProblem } from "../../service/operations/verify.ts";
import { printable } from "../output/print.ts";

/** A problem in JSON. */
export function problemRow({ hive, problem, repaired }: FoundProblem): object {
  return { hive: hive ?? null, problem, repaired: repaired ?? null };
}

/** A problem on one line. */
export function problemLine({ hive, problem, repaired }: FoundProblem): string {
  return printable(`${hive ?? "storage"}: ${problem}${repaired === undefined ? "" : ` — ${repaired}`}`);
}
