import { expect, it } from "vitest";
import { finish } from "../../../src/domain/steps.ts";
import { joinPieces, textPieces } from "../../../src/http/responses/json-bytes.ts";

it("a text in pieces becomes one JSON string, and each piece is a step", () => {
  const text = ['a "quoted"\n', "ü", "", "z"];
  expect([...textPieces(text)]).toHaveLength(text.length);
  expect(JSON.parse(finish(joinPieces(finish(textPieces(text)))).toString())).toBe(text.join(""));
});
