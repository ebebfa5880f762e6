/** The glossary of a Hive, and the styles of its locales. */
import { z } from "zod";
import { maxStyle } from "../../domain/glossary/style.ts";
import { givenTermSchema, termAnswer } from "../../domain/glossary/term-schema.ts";
import { maxTerms } from "../../domain/glossary/term.ts";
import { count, named, queryParam, text } from "../objects.ts";
import { operations } from "../operation.ts";

const limited = <Element extends z.ZodType>(element: Element) =>
  z.array(element, "must be a list of terms").max(maxTerms, `must have at most ${maxTerms} elements`);

/** Terms in a request. Each is checked by itself: all at once they would hold up other requests. */
const termList = named("TermList", {
  terms: limited(z.unknown()).meta({ ...z.toJSONSchema(limited(givenTermSchema), { io: "input" }) }),
});

const example = {
  terms: [
    { source: "file", translations: { fr: { text: "fichier", forbidden: ["archive"] } } },
    { source: "Skep", keep: true, match: "exact" },
  ],
};
const sent = { body: termList, example, hasDryRun: true, isRepeatable: true } as const;

const counts = { created: count, updated: count, unchanged: count };

export const terms = operations(
  {
    noun: "term",
    about: "List, create, import, export and delete terms of the Hive.",
    path: "/api/hives/:slug/glossary",
    key: "id",
    entity: termAnswer,
    label: "source",
    group: "Glossary",
    ability: "read",
    hasCommit: true,
    columns: ["id", "source", "meaning", "translations"],
  },
  (op) => ({
    listTerms: op.list({
      summary: "List the terms of a Hive's glossary",
      description:
        "In the order of their spellings. The terms of the Hive whose glossary it uses are that Hive's. The glossary of all branches is that of main.",
      query: {
        search: queryParam(
          "Only terms of which the source, the meaning or a translation contains this text, whatever its case.",
          "file",
        ),
      },
      tool: {
        name: "terms",
        title: "List terms",
        description: "Lists the terms of a Hive's glossary with their required and forbidden translations.",
        givesTexts: true,
      },
    }),
    mergeTerms: op.changeAll("merge", "POST", {
      ...sent,
      summary: "Merge terms into the glossary",
      description:
        "Adds terms, and changes those that are there: a member that is not given stays as it is. All terms of the glossary that are not named stay.",
      response: named("GlossaryImportResult", counts),
    }),
    syncTerms: op.changeAll("sync", "PUT", {
      ...sent,
      summary: "Replace the glossary",
      description:
        "The glossary becomes what is given: terms that are not named are deleted. Known terms keep their ids.",
      response: named("GlossarySyncResult", { ...counts, deleted: count }),
    }),
    deleteTerm: op.delete({
      summary: "Delete a term",
      response: named("TermDeletionResult", { deleted: count }),
      hasDryRun: true,
    }),
  }),
);

const style = named("Style", {
  locale: z.string(),
  text: text.meta({
    maxLength: maxStyle,
    description: "How to address the reader, the tone, the punctuation; empty where nothing is said.",
  }),
});

export const styles = operations(
  {
    noun: "style",
    about: "Show or set the style of a locale.",
    path: "/api/hives/:slug/style",
    key: "locale",
    names: "locale",
    entity: style,
    label: "locale",
    group: "Glossary",
    ability: "read",
    hasCommit: true,
    columns: ["locale", "text"],
  },
  (op) => ({
    readStyle: op.show({ summary: "Read the style of a locale" }),
    setStyle: op.set({
      summary: "Set the style of a locale",
      description: "An empty text removes it.",
      body: named("StyleUpdate", { text: style.shape.text }),
      example: { text: "Say vous. No exclamation marks." },
      response: style.meta({ id: "StyleResult" }),
      hasDryRun: true,
    }),
  }),
);
