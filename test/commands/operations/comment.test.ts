/** `skep comment` on a branch, at a server and on a storage. */
import { describe, expect, it } from "vitest";
import { placed, places } from "../../helpers/process.ts";

describe.each(places)("comments on a branch of a Hive on a %s", (place) => {
  it("are made, listed, changed and deleted there alone", async () => {
    const { run: skep, send } = await placed(place);
    await send("POST", "/strings", { files: { "a.php": { a: "A" } } });
    await send("POST", "/branches", { name: "next" });
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await skep("comment", ...args);
      expect([code, stderr]).toEqual([0, ""]);
      return stdout;
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
