/** `skep login`, and a clone and a push of git in the person's name. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { authorizeTeam, callerOf } from "../../../src/service/access.ts";
import { answerDevice } from "../../../src/service/people/devices.ts";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { makePerson } from "../../helpers/people/people.ts";
import { acmeStorage, bin, createToken, french, git, request, startServer } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

it("signs in by a code; git then clones and pushes in the person's name, until skep logout", async () => {
  const folder = await acmeStorage({ web: french });
  const storage = openLocalStorage(folder);
  const person = await makePerson(storage, { name: "Anna Bauer" });
  const { url } = await startServer(folder, "--public-url", "https://skep.example.org");
  const token = await createToken(folder);
  const body = { files: { "a.json": { a: "A" } } };
  await request({ url }, token, "POST", "/api/hives/web/strings", body);
  const env = { ...process.env, XDG_CONFIG_HOME: realFolder(), SKEP_TOKEN: "" };
  const run = async (args: readonly string[], onError: (text: string) => void = () => undefined) => {
    const child = spawn(process.execPath, [bin, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (out += part));
    child.stderr.setEncoding("utf8").on("data", onError);
    const [code] = await once(child, "close");
    return { code, out };
  };
  let shown = "";
  let answered: Promise<void> | undefined;
  const signedIn = await run(["login", url], (text) => {
    shown += text;
    const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(shown) ?? [];
    if (code === undefined) return;
    answered ??= callerOf(storage, person).then(async (caller) => {
      if (caller !== undefined) await answerDevice(storage, authorizeTeam(caller, "read", false), code, true);
    });
  });
  await answered;
  expect(signedIn).toMatchObject({ code: 0 });
  expect(signedIn.out).toContain(`Signed in to ${url} as Anna Bauer (anna)`);
  const helper = `credential.helper=!XDG_CONFIG_HOME='${env.XDG_CONFIG_HOME}' '${process.execPath}' '${bin}' git-credential`;
  const clone = join(realFolder(), "web");
  await git(".", "-c", helper, "clone", "-q", `${url}/hives/web.git`, clone);
  await git(clone, "checkout", "-q", "-b", "feature");
  const file = (await git(clone, "ls-files")).split("\n").find((name) => name.includes("a.json")) ?? "";
  writeFileSync(join(clone, file), readFileSync(join(clone, file), "utf8").replace('"A"', '"B"'));
  await git(clone, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-am", "B");
  await git(clone, "-c", helper, "push", "-q", "origin", "feature");
  const { json } = await request({ url }, token, "GET", "/api/hives/web/history?branch=feature&person=anna");
  expect(json.data[0]).toMatchObject({ person: "anna", author: { email: "anna@people.skep.invalid" } });
  expect((await run(["logout", url])).out).toBe(`Signed out of ${url}.\n`);
  expect((await run(["logout", url])).code).toBe(2);
});
