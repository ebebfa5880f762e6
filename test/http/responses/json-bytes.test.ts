import { expect, it } from "vitest";
import { joinPieces, textPieces } from "../../../src/http/responses/json-bytes.ts";

it("a text in pieces becomes one JSON string, and each piece is a step", async () => {
  const text = ['a "quoted"\n', "ü", "", "z"];
  expect(await textPieces(text)).toHaveLength(text.length + 2);
  expect(JSON.parse((await joinPieces(await textPieces(text))).toString())).toBe(text.join(""));
});
