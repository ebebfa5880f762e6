/** `skep mcp` and `/mcp` of a real server, as the SDK's client speaks to them. */
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";
import { bin, startServer } from "../../helpers/process.ts";
import { setUpRealWeb } from "../../helpers/storage.ts";

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

async function use(client: Client, name: string, given: Record<string, unknown>) {
  const { isError = false, content } = await client.callTool({ name, arguments: given });
  const [first] = Array.isArray(content) ? content : [];
  return { isError, answer: JSON.parse(first?.type === "text" ? first.text : "null") };
}

it("serves the same tools over HTTP and over standard input and output", async () => {
  const { folder, call, token } = await setUpRealWeb({ locales: ["fr"] });
  await call("POST", "/api/hives/web/strings", { body: { files: { "a.php": { x: "Log out" } } } });
  const { url } = await startServer(folder);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const http = await connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const args = [bin, "mcp", "--model", "my-model"];
  const env = { SKEP_SERVER: url, SKEP_TOKEN: token, PATH: process.env["PATH"] ?? "" };
  const stdio = await connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: folder }),
  );
  expect((await stdio.listTools()).tools).toEqual((await http.listTools()).tools);
  const search = { hive: "web", text: "log" };
  expect(await use(stdio, "search", search)).toEqual(await use(http, "search", search));
  const { answer } = await use(stdio, "work_next", { hive: "web", locale: "fr" });
  const [{ file, key, expected }] = answer.items;
  const items = [{ file, key, expected, forms: { other: "Sortir" } }];
  const done = await use(stdio, "work_done", { hive: "web", locale: "fr", items });
  expect(done).toMatchObject({ isError: false, answer: { items: [{ status: "saved" }] } });
  const [commit] = (await call("GET", "/api/hives/web/history")).json.data;
  expect(commit.origin).toMatchObject({ kind: "model", name: "my-model" });
  expect(await use(stdio, "progress", { hive: "none" })).toMatchObject({
    isError: true,
    answer: { code: "unknown_hive" },
  });
});
