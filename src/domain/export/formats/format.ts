/** The interface of export formats. */
import type { Group, Texts } from "../../strings/string-file.ts";

export type Format = {
  /** The file extension, with its dot. */
  readonly extension: string;
} & (
  | {
      readonly kind: "flat";
      /** The content of a file, in pieces, from its texts by flattened key in file order. */
      readonly render: (texts: Texts) => Iterable<string>;
    }
  | {
      readonly kind: "nested";
      /** The whole content of a file from its texts in the shape of the source file. */
      readonly render: (group: Group) => string;
    }
);
