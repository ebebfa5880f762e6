/** What the operations of known locales do. */
import { worldLocales } from "../../api/team/world-locales.ts";
import { listWorldLocales } from "../../service/admin/locales.ts";
import { implementForCaller } from "./implement.ts";

export const worldLocaleOperations = implementForCaller(worldLocales, {
  listLocales: async () => ({
    version: "",
    heads: [],
    read: async () => {
      const locales = await listWorldLocales();
      return { locales: locales.map((locale) => Object.assign({ rtl: locale.isRightToLeft }, locale)) };
    },
  }),
});
