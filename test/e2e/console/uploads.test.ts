/** Files that are uploaded to the real program, which reads them in a thread of their own. */
import { expect, it } from "vitest";
import { acmeStorage, createToken, french, startServer } from "../../helpers/process.ts";

it("reads a file in a thread, and says where it cannot", async () => {
  const storage = await acmeStorage({ web: french });
  const token = await createToken(storage, ["read", "write"]);
  const { url } = await startServer(storage);
  const form = { method: "POST", redirect: "manual" } as const;
  const signedIn = await fetch(`${url}/sign-in`, { ...form, body: new URLSearchParams({ token }) });
  const [session = ""] = signedIn.headers.getSetCookie();
  const headers = { cookie: session.split(";")[0] ?? "", accept: "text/html" };
  const page = await (await fetch(`${url}/hives/web/import`, { headers })).text();
  const [, key = ""] = /name="form_key" value="([^"]*)"/.exec(page) ?? [];
  const send = async (content: string): Promise<Response> => {
    const body = new FormData();
    const fields = { form_key: key, mode: "sync", conflict_strategy: "keep" };
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set("upload", new File([content], "en.yaml"));
    return fetch(`${url}/hives/web/import/source`, { ...form, headers, body });
  };
  const refused = await send("a: A\nb: [");
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("line ")]);
  const kept = await send("nav:\n  home: Home # Above\n");
  expect(kept.status).toBe(303);
  const address = new URL(kept.headers.get("location") ?? "", `${url}/hives/web/import/source`);
  const preview = await (await fetch(address, { headers })).text();
  expect(preview).toContain("Strings added: 1");
});
