import { expect, it } from "vitest";
import { checkDeletions } from "../../../src/domain/plans/deletions.ts";

it.each<[number, number | undefined]>([
  [0, 0],
  [1, 1],
  [1_000_000, undefined],
  [5, Infinity],
])("the limit on deletions allows %d deletions for a limit of %s", (deleted, max) => {
  expect(() => checkDeletions({ created: 0, deleted }, max)).not.toThrow();
});

it("the limit on deletions refuses more, and says how many there are and what to send", () => {
  expect(() => checkDeletions({ created: 0, deleted: 1 }, 0)).toThrow(
    "max_deletions: this would delete 1 source string and may delete 0; nothing was written. " +
      "If it is meant, send max_deletions=1",
  );
});
