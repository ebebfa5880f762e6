import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { localeDataFile, makeLocaleData } from "../../helpers/locale-data.ts";

it("the file of locales has what the installed CLDR has; npm run locales writes it", () => {
  expect(readFileSync(localeDataFile, "utf8")).toBe(makeLocaleData());
});
