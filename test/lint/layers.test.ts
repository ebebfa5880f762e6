/** The rule table refuses what it should; that the project keeps to it is for `npm run lint`. */
import { expect, it } from "vitest";
import { crowdedFolders, importCircles, layerFaults, unrecordedWrites } from "./layers.ts";

it.each([
  ["domain/text.ts", 'import { join } from "node:path";', "must not import node:path"],
  ["domain/text.ts", 'import type { Disk } from "../disk/disk.ts";', "must not import disk/disk.ts"],
  [
    "git/refs/ref-folder.ts",
    'import { BareRepo } from "../bare-repo.ts";',
    "must not import git/bare-repo.ts",
  ],
  [
    "git/refs/ref-folder.ts",
    'import {\n  a,\n  b,\n} from "../packs/packs.ts";',
    "must not import git/packs/packs.ts",
  ],
  [
    "http/routes/tags.ts",
    'const a = await import("../../store/backup/x.ts");',
    "must not import store/backup/x.ts",
  ],
  ["service/tags.ts", 'import git from "isomorphic-git";', "must not import isomorphic-git"],
  [
    "service/tags.ts",
    'export { serve } from "../cli.ts";',
    "imports cli.ts, which lies in no folder of the table",
  ],
  ["log.ts", 'import "./service/storage.ts";', "must not import service/storage.ts"],
  ["store/tags.ts", "", "lies in no folder of the table"],
])("a file %s with the import %s is refused", (file, code, fault) => {
  expect(layerFaults(file, code)).toEqual([`src/${file}: ${fault}`]);
});

it("imports down the layers and down the rooms of a layer are allowed", () => {
  const code = 'import { a } from "../refs/a.ts";\nimport { b } from "../../domain/b.ts";\nimport "node:fs";';
  expect(layerFaults("git/packs/packs.ts", `${code}\nimport { log } from "../../log.ts";`)).toEqual([]);
});

it("files that import each other are named, also where only a type is imported", () => {
  const code = [
    ["domain/a.ts", 'import { b } from "./b.ts";\nimport { d } from "./d.ts";'],
    ["domain/b.ts", 'import { c } from "./c.ts";'],
    ["domain/c.ts", 'import type { B } from "./b.ts";'],
    ["domain/d.ts", ""],
  ] as const;
  expect(importCircles(new Map(code))).toEqual(["src/domain/b.ts imports domain/c.ts imports domain/b.ts"]);
});

it("a folder of more than 22 files is named", () => {
  const files = Array.from({ length: 23 }, (_, i) => `src/store/${i}.ts`);
  expect(crowdedFolders([...files, "src/store/hives/hive.ts"])).toEqual([
    "src/store: holds 23 files, more than 22",
  ]);
});

it("a settings store that writes a file past the record is named", () => {
  const code = "await this.#fs.write(path, text, lock);\nawait appendLines(fs, path, lines);";
  expect(unrecordedWrites("store/record/folder-record.ts", code)).toEqual([]);
  expect(unrecordedWrites("store/settings/mirrors.ts", code)).toEqual([
    "src/store/settings/mirrors.ts: must change the storage through its record, not by fs.write",
    "src/store/settings/mirrors.ts: must change the storage through its record, not by appendLines",
  ]);
});
