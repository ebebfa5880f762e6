/** The build holds many modules in one file, and names each of them in a comment above its code. */
import { readFileSync } from "node:fs";

/** @returns the modules in a file of the build, as `src/store/index.ts`. @param file its URL. */
export function modulesIn(file: string | URL): readonly string[] {
  const text = readFileSync(new URL(file), "utf8");
  return Array.from(text.matchAll(/^\/\/ (src\/\S+)$/gm), ([, name = ""]) => name);
}
