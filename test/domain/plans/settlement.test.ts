/** What a settlement says of a conflict, and what is wrong with it. */
import { expect, it } from "vitest";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { Settlement, type Taken } from "../../../src/domain/plans/settlement.ts";
import { fileNamed } from "../../helpers/hive.ts";

const place = { locale: toLocale("fr").code, file: fileNamed("a.json"), key: "a" };

it.each<[string, Taken, Taken]>([
  ["a side", "theirs", "theirs"],
  ["a text of neither", { text: "Own" }, { text: "Own" }],
  ["the text of ours", { text: "A\r\nB" }, "ours"],
  ["the text of theirs", { text: "C\r\nD" }, "theirs"],
  ["other line ends than those of ours", { text: "A\nB" }, { text: "A\nB" }],
  ["the text of ours as a browser sends it", { text: "A\nB", isTyped: true }, "ours"],
  ["the text of theirs as a browser sends it", { text: "C\nD", isTyped: true }, "theirs"],
  ["another as a browser sends it", { text: "E\nF", isTyped: true }, { text: "E\r\nF" }],
])("takes %s", (_, take, taken) => {
  const settlement = new Settlement(undefined, [{ ...place, take }]);
  expect(settlement.taken(place, { ours: "A\r\nB", theirs: "C\r\nD" })).toEqual(taken);
});

it("finds what is about no conflict, about one twice, and a text where there is no place for one", async () => {
  const other = (key: string, take: Taken) => ({ ...place, key, take });
  const settlement = new Settlement("ours", [
    other("a", "theirs"),
    other("b", "theirs"),
    other("c", { text: "Own" }),
    other("a", "ours"),
    other("moot", "theirs"),
  ]);
  settlement.taken(place, { ours: "A", theirs: "B" });
  settlement.side({ ...place, key: "c" });
  expect(await settlement.problems(() => Promise.resolve([{ ...place, key: "moot" }]))).toEqual([
    [3, "is about the conflict of number 0, too"],
    [1, "there is no such conflict"],
    [2, "a text cannot settle this conflict: take the one of main or of the branch"],
  ]);
});
