/** TOML, as go-i18n, Hugo and rust-i18n have it. */
import { textFormat } from "./format.ts";
import { readTomlFile } from "./toml/toml-file.ts";
import { parsedToml } from "./toml/toml-texts.ts";
import { TomlWriter } from "./toml/toml-write.ts";

export const toml = textFormat({
  parse: (text, { sourceTexts }) => parsedToml(text, readTomlFile(text), sourceTexts),
  write: (edit, { sourceTexts }) => new TomlWriter(edit, sourceTexts).write(),
});
