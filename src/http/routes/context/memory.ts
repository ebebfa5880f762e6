/** Translation memory. */
import { openMemory } from "../../../service/memory/memory.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { hiveRead, type HiveRoute } from "../../pipeline/route.ts";
import { memoryQuery, memoryResponse } from "../../schemas/context/memory-schemas.ts";

export const memoryRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "lookUpMemory",
    path: "/api/hives/:slug/memory",
    takesBranch: true,
    isSlow: () => true,
    group: "Translations",
    summary: "Look up how equal and similar texts were translated",
    description:
      "Looks in the Hive and in each other Hive that the token can read and that has the same source locale and the target locale. " +
      "Equal source texts come first, then similar ones by their score, then former ones: source texts for which translations were made that are stale now. " +
      "Of equal hits, approved translations come before those that wait for a review. Two hits never have the same source text and translation.",
    query: memoryQuery,
    response: withExample(memoryResponse, {
      data: [
        {
          source: "Wrong password.",
          text: "Senha errada.",
          hive: "web",
          file: "auth.php",
          key: "failed",
          score: 100,
          approved: true,
          former: false,
        },
      ],
    }),
    async handler({ storage, hive, branch, query: { locale, text, limit }, signal }) {
      const { find, ...memory } = await openMemory(storage, { hive, branch, locale, signal });
      return { ...memory, read: async () => ({ data: [...(await find(text, limit))] }) };
    },
  }),
];
