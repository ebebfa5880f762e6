/** Source files of a Hive. */
import { z } from "zod";
import { deletionLimit } from "./management.ts";
import { count, named } from "./objects.ts";
import { operations } from "./operation.ts";

/** How many texts went with a file. */
export const fileRemoved = named("FileRemovalResult", { deleted: count, translations_deleted: count });

export const files = operations(
  {
    noun: "file",
    about: "Delete source files of a Hive.",
    path: "/api/hives/:slug/files",
    key: "file",
    entity: fileRemoved,
    label: "deleted",
    group: "Management",
    ability: "admin",
    hasCommit: true,
    columns: [],
  },
  (op) => ({
    removeFile: op.deleteWhere({
      summary: "Remove a source file, its strings and their translations",
      description: "Makes one commit, which can be undone.",
      query: z.strictObject({
        file: z
          .string("must be given once")
          .meta({ description: "The name of the source file.", examples: ["admin/menu.php"] }),
        max_deletions: deletionLimit,
      }),
      response: fileRemoved,
      takesBranch: true,
      command: {
        args: ["file"],
        was: "remove",
        wasAsked: true,
        done: "Deleted the file {id}{place}. Strings deleted with it: {deleted}; translations: {translations_deleted}.",
      },
    }),
  }),
);
