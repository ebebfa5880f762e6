/** The state of a string of the queue, as a shape and a word. */
import type { WorkState } from "../../../domain/work/work.ts";

const marks: Readonly<Record<WorkState, readonly [kind: string, name: string]>> = {
  missing: ["missing", "missing"],
  stale: ["stale", "stale"],
  failing: ["failing", "failing"],
  review: ["waiting", "waiting for a review"],
  asked: ["waiting", "asked about"],
};

export function WorkMark({ state }: { readonly state: WorkState }) {
  const [kind, name] = marks[state];
  return <span class={`mark small ${kind}`}>{name}</span>;
}
