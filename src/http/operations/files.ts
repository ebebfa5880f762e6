/** What the operations of source files do. */
import { files } from "../../api/files.ts";
import { removeFile } from "../../service/admin/locales.ts";
import { implementOnHive } from "./implement.ts";

export const fileOperations = implementOnHive(files, {
  removeFile: async ({ storage, branch, query, context }) => {
    const { result, commit } = await removeFile(storage, branch, query.file, context);
    return { result: { deleted: result.strings, translations_deleted: result.translations }, commit };
  },
});
