/** `skep comment` on a branch, at a server and on a storage. */
import { describe, expect, it } from "vitest";
import {
  acmeStorage,
  createToken,
  request,
  serveInProcess,
  skep,
  skepWithin,
} from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

describe.each(["storage", "server"] as const)("comments on a branch of a Hive on a %s", (place) => {
  it("are made, listed, changed and deleted there alone", async () => {
    const storage = await acmeStorage();
    const server = await serveInProcess(storage);
    const token = await createToken(storage, ["read", "write", "admin"]);
    const send = (path: string, body: object) =>
      request(server, token, "POST", `/api/hives/web${path}`, body);
    await send("/strings", { files: { "a.php": { a: "A" } } });
    await send("/branches", { name: "next" });
    const run = async (...args: readonly string[]) => {
      const ran =
        place === "storage"
          ? await skep("comment", ...args, "--storage", storage)
          : await skepWithin(
              realFolder(),
              { SKEP_TOKEN: token, SKEP_SERVER: server.url },
              "comment",
              ...args,
            );
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      return ran.stdout;
    };
    const on = ["--branch", "next"];
    const list = async (...where: readonly string[]): Promise<readonly { id: string; text: string }[]> =>
      JSON.parse(await run("list", "web", "--json", ...where));
    await run("create", "web", "a.php", "a", "Why?", ...on);
    const [made] = await list(...on);
    expect([made?.text, await list()]).toEqual(["Why?", []]);
    await run("edit", "web", made?.id ?? "", "--text", "How?", ...on);
    expect((await list(...on)).map(({ text }) => text)).toEqual(["How?"]);
    await run("delete", "web", made?.id ?? "", "--yes", ...on);
    expect(await list(...on)).toEqual([]);
  });
});
