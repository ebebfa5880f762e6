/** The interface of export formats. */
import type { Group, Texts } from "../../strings/string-file.ts";

/** One file of one locale, ready to be written in a format. */
export interface LocalizedFile {
  /** The existing texts, by flattened key in file order. */
  readonly texts: Texts;
  /** The same texts in the shape of the source file. */
  readonly group: () => Group;
}

export interface Format {
  /** The file extension, with its dot. */
  readonly extension: string;
  /** The whole content of the exported file. */
  readonly render: (file: LocalizedFile) => string;
}
