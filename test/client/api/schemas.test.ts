/** What the client reads of answers is what the server sends: the compiler holds one to the other. */
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { hiveLocales } from "../../../src/api/locales.ts";
import type { translations } from "../../../src/api/content/translations.ts";
import type * as client from "../../../src/client/api/schemas.ts";

type Exported = z.output<typeof translations.operations.exportTranslations.response>;

it("the server's answers are what the client reads", () => {
  expectTypeOf<z.output<typeof hiveLocales>>().toExtend<z.input<typeof client.hiveLocales>>();
  expectTypeOf<Exported>().toExtend<z.input<typeof client.exported>>();
});
