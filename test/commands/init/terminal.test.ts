/** `skep init` in a pseudo-terminal, which `script` of util-linux makes. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { acmeStorage, bin, createToken, serveInProcess } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

const hasScript = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

it.skipIf(!hasScript)("asks in lines at a real terminal, down to the first push", async () => {
  const storage = await acmeStorage({ other: [] });
  const token = await createToken(storage, ["read", "write", "admin"]);
  const { url } = await serveInProcess(storage);
  const [home, folder] = [realFolder(), join(realFolder(), "web")];
  mkdirSync(join(folder, "locales"), { recursive: true });
  writeFileSync(join(folder, "locales/en.json"), '{"a": "A"}');
  const child = spawn("script", ["-qec", `'${process.execPath}' '${bin}' init`, "/dev/null"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, TERM: "xterm", SKEP_SERVER: url, SKEP_TOKEN: token },
  });
  let seen = "";
  let answered = 0;
  // Enter takes each default.
  child.stdout.on("data", (part: Buffer) => {
    seen += part.toString();
    const asked = (seen.match(/(?:\]|\/n\)): /g) ?? []).length;
    for (; answered < asked; answered++) child.stdin.write("\n");
  });
  const [code]: unknown[] = await once(child, "close");
  expect([code, seen]).toEqual([0, expect.stringContaining(`${url}/hives/web`)]);
  expect(seen).toContain("Created the Hive web");
  expect(existsSync(join(folder, "skep.yaml"))).toBe(true);
  expect(readFileSync(join(folder, "skep.yaml"), "utf8")).toContain("hive: web\n");
});
