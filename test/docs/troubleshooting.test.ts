/** The messages that docs/troubleshooting.md explains are those of the program. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPage, root } from "./pages.ts";

/** All sources as one line, with what comes from values and line breaks of literals taken out. */
function sources(): string {
  const folder = join(root, "src");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
}

/** The parts of a message between the values in it. */
function partsOf(message: string): readonly string[] {
  return message
    .split("…")
    .map((part) => part.trim())
    .filter((part) => part.length > 2);
}

it("each message that the page explains is in the sources", () => {
  const messages = Array.from(
    readPage("docs/troubleshooting.md").matchAll(/^> (.*)$/gm),
    ([, text = ""]) => text,
  );
  expect(messages.length).toBeGreaterThan(20);
  const all = sources();
  const lost = messages.filter((message) => partsOf(message).some((part) => !all.includes(part)));
  expect(lost).toEqual([]);
});
