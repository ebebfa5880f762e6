import { expect, it, vi } from "vitest";
import { keepingResults } from "../../../src/store/settings/stored-settings.ts";

it("a text is parsed once, and one that cannot be parsed is an error each time", () => {
  const parser = vi.fn<(text: string) => object>((text) => JSON.parse(text));
  const parse = keepingResults(parser);
  expect(parse('{"a":1}')).toEqual({ a: 1 });
  expect(parse('{"a":1}')).toEqual({ a: 1 });
  expect(parser).toHaveBeenCalledOnce();
  expect(() => parse("{")).toThrow(SyntaxError);
  expect(() => parse("{")).toThrow(SyntaxError);
  expect(parse('{"a":2}')).toEqual({ a: 2 });
});
