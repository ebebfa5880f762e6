/** What the client reads of answers is what the server sends: the compiler holds one to the other. */
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { hiveLocales } from "../../../src/api/locales.ts";
import type { importResponse, syncResponse } from "../../../src/http/routes/strings.ts";
import type { exportResponse, translationsResponse } from "../../../src/http/routes/translations.ts";
import type * as client from "../../../src/client/api/schemas.ts";

it("the server's answers are what the client reads", () => {
  expectTypeOf<z.output<typeof hiveLocales>>().toExtend<z.input<typeof client.hiveLocales>>();
  expectTypeOf<z.output<typeof exportResponse>>().toExtend<z.input<typeof client.exported>>();
  expectTypeOf<z.output<typeof importResponse>>().toExtend<z.input<typeof client.importResult>>();
  expectTypeOf<z.output<typeof syncResponse>>().toExtend<z.input<typeof client.syncResult>>();
  expectTypeOf<z.output<typeof translationsResponse>>().toExtend<z.input<typeof client.translationsResult>>();
});
