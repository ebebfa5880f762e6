/** What the operations of notes do. */
import { notes } from "../../api/content/notes.ts";
import { toOffsetLimit, toPage } from "../../api/page.ts";
import { toNotes } from "../../domain/notes/note-files.ts";
import { teamNoteChangeSchema } from "../../domain/notes/note-schema.ts";
import { changeNotes, listNotes } from "../../service/content/notes.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive } from "../operations/implement.ts";

export const noteOperations = implementOnHive(notes, {
  listNotes: async ({ storage, branch, query, signal }) => {
    const { tag: tags, ...wanted } = query;
    const page = await listNotes(storage, branch, { ...wanted, ...toOffsetLimit(query), tags, signal });
    return converted(page, (found) => toPage(found, query, (one) => one));
  },
  changeNotes: async ({ storage, branch, body, context }) => {
    const files = await toNotes(body.files, "files", teamNoteChangeSchema);
    const expected =
      body.expected === undefined
        ? undefined
        : await toNotes(body.expected, "expected", teamNoteChangeSchema);
    return changeNotes(storage, branch, { files, expected }, context);
  },
});
