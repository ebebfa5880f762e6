/** TOML, as go-i18n, Hugo and rust-i18n have it. */
import type { FileFormat } from "./format.ts";
import { decodeUtf8 } from "./patch/source-text.ts";
import { readTomlFile } from "./toml/toml-file.ts";
import { parsedToml } from "./toml/toml-texts.ts";
import { TomlWriter } from "./toml/toml-write.ts";

export const toml: FileFormat = {
  parse(bytes, { sourceTexts }) {
    const text = decodeUtf8(bytes);
    return parsedToml(text, readTomlFile(text), sourceTexts);
  },
  write: (edit, { sourceTexts }) => new TomlWriter(edit, sourceTexts).write(),
};
