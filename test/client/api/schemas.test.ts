/** What the client reads of answers is what the server sends: the compiler holds one to the other. */
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { hiveLocales } from "../../../src/api/locales.ts";
import type { strings } from "../../../src/api/content/strings.ts";
import type { translations } from "../../../src/api/content/translations.ts";
import type * as client from "../../../src/client/api/schemas.ts";

type Declared = typeof strings.operations & typeof translations.operations;
type Answer<Id extends keyof Declared> = z.output<Declared[Id]["response"]>;

it("the server's answers are what the client reads", () => {
  expectTypeOf<z.output<typeof hiveLocales>>().toExtend<z.input<typeof client.hiveLocales>>();
  expectTypeOf<Answer<"exportTranslations">>().toExtend<z.input<typeof client.exported>>();
  expectTypeOf<Answer<"importStrings">>().toExtend<z.input<typeof client.importResult>>();
  expectTypeOf<Answer<"syncStrings">>().toExtend<z.input<typeof client.syncResult>>();
  expectTypeOf<Answer<"importTranslations">>().toExtend<z.input<typeof client.translationsResult>>();
});
