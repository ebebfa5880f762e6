/** The team of whoever asks: its quota, and its deleted Hives. */
import { z } from "zod";
import { count, named, pageOf } from "../objects.ts";
import { operations } from "../operation.ts";

const team = named("Team", {
  name: z.string(),
  string_count: count.meta({
    description:
      "The number of source strings in all Hives that the token has access to, including those whose text is empty.",
  }),
  max_strings: count
    .nullable()
    .meta({ description: "The quota, for all Hives of the team together; `null` for no limit." }),
  strings_left: count.nullable().optional().meta({
    description: "`null` for no limit; absent for a token that is limited to specific Hives.",
  }),
});

const trashEntry = named("TrashEntry", {
  id: z.string(),
  slug: z.string(),
  deleted: z.iso.datetime(),
  expires: z.iso.datetime().meta({ description: "When it is removed for good." }),
});

export const teams = operations(
  {
    noun: "team",
    about: "Show the team's quota and usage.",
    path: "/api/team",
    key: "name",
    names: "name",
    entity: team,
    label: "name",
    group: "Management",
    ability: "read",
    columns: ["name", "string_count", "max_strings", "strings_left"],
  },
  (op) => ({
    showTeam: op.viewAt("show", "/api/team", {
      summary: "Get the team's quota and usage",
      description:
        "For a token that is limited to specific Hives, `string_count` covers only these, and `strings_left` is left out.",
      response: team,
    }),
  }),
);

export const trash = operations(
  {
    noun: "deleted Hive",
    about: "List deleted Hives.",
    path: "/api/trash",
    key: "id",
    entity: trashEntry,
    label: "slug",
    group: "Management",
    ability: "admin",
    allHives: true,
    columns: ["id", "slug", "deleted", "expires"],
  },
  (op) => ({
    listTrash: {
      ...op.list({
        summary: "List deleted Hives",
        description: "The deleted Hives of the team that can be restored, last deleted first.",
      }),
      response: pageOf("TrashPage", trashEntry),
    },
  }),
);
