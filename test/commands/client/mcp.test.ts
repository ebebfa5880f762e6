/** `skep mcp` and `/mcp` of a real server, as the SDK's client speaks to them. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
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

it("answers lines that are no JSON-RPC message with a JSON-RPC error, and goes on", async () => {
  const env = { SKEP_SERVER: "http://127.0.0.1:1", SKEP_TOKEN: `skep_${"a".repeat(12)}_${"b".repeat(43)}` };
  const mcp = spawn(process.execPath, [bin, "mcp"], { env: { ...process.env, ...env } });
  onTestFinished(() => void mcp.kill());
  const errors = text(mcp.stderr);
  const lines = createInterface(mcp.stdout)[Symbol.asyncIterator]();
  const answer = async (line: string) => {
    mcp.stdin.write(`${line}\n`);
    return JSON.parse((await lines.next()).value ?? "");
  };
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const noMessage = { code: -32600, message: expect.stringMatching(/^Send one JSON-RPC message per line/) };
  for (const line of [[ping], [1, { x: 2 }], [], "x", 5, null, { ...ping, params: 5 }, { jsonrpc: "2.0" }])
    expect(await answer(JSON.stringify(line))).toEqual({ jsonrpc: "2.0", id: null, error: noMessage });
  expect(await answer(JSON.stringify(ping))).toMatchObject({ id: 1, result: {} });
  mcp.stdin.end();
  expect(await errors).toBe("");
});
