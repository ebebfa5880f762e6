import { expect, it } from "vitest";
import { codesWrittenLike } from "../../../src/domain/hives/code-style.ts";

it.each([
  [[], "pt-BR"],
  [["fr", "de"], "pt-BR"],
  [["fr", "es-MX"], "pt-BR"],
  [["fr", "es_MX"], "pt_BR"],
  [["es-mx"], "pt-br"],
  [["es_mx", "de_at"], "pt_br"],
  [["es_MX", "de-AT"], "pt-BR"],
])("beside %j, a code with a region is %s", (codes, expected) => {
  expect([codesWrittenLike(codes)("pt-BR"), codesWrittenLike(codes)("fr")]).toEqual([expected, "fr"]);
});
