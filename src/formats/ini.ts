/** INI, as Joomla, PHP and others have it, in UTF-8, or in UTF-16 with a byte order mark. */
import { notesIn } from "./patch/notes.ts";
import { decodeUnicode } from "./patch/source-text.ts";
import { toParsedFile } from "./patch/tree.ts";
import type { FileFormat } from "./format.ts";
import { iniTree, readIniFile } from "./ini/ini-file.ts";
import { IniWriter, iniProblem } from "./ini/ini-write.ts";

const comments = { separator: "", comment: /[;#][^\n]*/y };

export const ini: FileFormat = {
  parse(bytes) {
    const { text } = decodeUnicode(bytes);
    const tree = iniTree(text, readIniFile(text));
    return toParsedFile(tree, text, () => notesIn(tree, text, comments));
  },
  write(edit) {
    const { text, encode } = decodeUnicode(edit.template);
    const source = edit.source && decodeUnicode(edit.source).text;
    return encode(new IniWriter({ ...edit, template: text, source }).write());
  },
  problemIn: (text) => iniProblem(text),
};
