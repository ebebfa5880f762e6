import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realFolder } from "./storage.ts";
import { removeAbandoned } from "./temporary-folder.ts";

it("folders of test runs that ended an hour ago are removed, and no others", () => {
  const { pid } = spawnSync("true");
  const parent = realFolder();
  const names = [
    `skep-tests-${pid}-old`,
    `skep-tests-${process.pid}-old`,
    "skep-test-old",
    `skep-tests-${pid}-new`,
  ];
  for (const name of names) {
    mkdirSync(join(parent, name, "inner"), { recursive: true });
    if (name.endsWith("old")) utimesSync(join(parent, name), 0, 0);
  }
  removeAbandoned(parent);
  expect(readdirSync(parent).toSorted()).toEqual(names.slice(1).toSorted());
});
