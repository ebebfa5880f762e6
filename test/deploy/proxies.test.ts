/** Real proxies with the configurations of deploy/ in front of a real server. */
import { once } from "node:events";
import fs from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { networks } from "../../src/config/kinds.ts";
import {
  acmeStorage,
  createToken,
  type RunningServer,
  serveInProcess,
  startServerIn,
  tryGit,
} from "../helpers/process.ts";
import {
  begin,
  belowPath,
  freePort,
  isInstalled,
  limitsOf,
  send,
  startHaproxy,
  startNginxWith,
  startProxy,
  startProxyBelowPath,
  type ProxyKind,
} from "./proxy.ts";
import { realFolder } from "../helpers/storage.ts";

const kinds: readonly [ProxyKind, boolean][] = [
  ["nginx", isInstalled("nginx", "-v")],
  ["caddy", isInstalled("caddy", "version")],
];
const mebibyte = 1024 * 1024;
const trustProxy = networks("loopback");

/** A proxy in front of a server: of this process, as nothing that is tested here depends on the server's own. */
async function setUp(kind: ProxyKind) {
  const storage = await acmeStorage();
  const token = await createToken(storage);
  const server = await serveInProcess(storage, {}, { trustProxy });
  const proxy = await startProxy(kind, new URL(server.url).port);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return { proxy, token, headers };
}

/** A body of an import, of about so many bytes. */
function importOf(bytes: number): string {
  const texts = Array.from({ length: 1000 }, (_, i) => [`key${i}`, "x".repeat(bytes / 1000)]);
  return JSON.stringify({ files: { "a.php": Object.fromEntries(texts) } });
}

const balancers = [
  ["nginx", "-v", (first: string, second: string) => startProxy("nginx", first, second)],
  ["haproxy", "-v", startHaproxy],
] as const;

describe.each(balancers)("%s", (program, versionFlag, startBalancer) => {
  it.skipIf(!isInstalled(program, versionFlag))(
    "in front of two servers passes on no failure while one after the other is restarted",
    async () => {
      const storage = await acmeStorage();
      const token = await createToken(storage);
      const ports = [await freePort(), await freePort()].map(String);
      const start = (port = ""): Promise<RunningServer> =>
        // As long as by default, which is longer than either keeps an idle connection.
        startServerIn({ SKEP_DRAIN_DELAY: "6s" }, storage, "--trust-proxy", "loopback", "--port", port);
      const servers = await Promise.all(ports.map((port) => start(port)));
      const proxy = await startBalancer(ports[0] ?? "", ports[1] ?? "");
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const over = new AbortController();
      const write = async (writer: number): Promise<number[]> => {
        const statuses: number[] = [];
        for (let n = 0; !over.signal.aborted; n++) {
          const body = JSON.stringify({ files: { [`${writer}.php`]: { [`k${n}`]: "x" } } });
          const { status } = await send(proxy, "/api/hives/web/strings", { method: "POST", headers, body });
          statuses.push(status ?? 0);
          // Writes without a break would take all of the machine for as long as the servers drain.
          await setTimeout(400);
        }
        return statuses;
      };
      const writers = [1, 2, 3].map(write);
      for (const [i, server] of servers.entries()) {
        await server.stop();
        await start(ports[i]);
      }
      over.abort();
      const statuses = (await Promise.all(writers)).flat();
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      const list = await send(proxy, "/api/hives/web/strings?per_page=1", { headers });
      expect(JSON.parse(list.text).meta.total).toBe(statuses.length);
    },
  );
});

const limiting = [
  ["nginx", "-v", (port: string) => startNginxWith(limitsOf("nginx"), port)],
  ["haproxy", "-v", (port: string) => startHaproxy(port, port, limitsOf("haproxy"))],
] as const;

/** Addresses of one client each, of a network of 64 bits where it is one of IPv6, in the forms that these are written in. */
const hosts: readonly ((n: number) => string)[] = [
  () => "192.0.2.1",
  () => "192.0.2.2",
  (n) => `2001:db8:1:2::${n}`,
  (n) => `2001:db8:1:3:${n}:5:6:7`,
  (n) => `2001:db8::${n}:5:6:7`,
  (n) => `2001:db8:1::${n}:6:7`,
];

describe.each(limiting)("%s", (program, versionFlag, startLimiting) => {
  it.skipIf(!isInstalled(program, versionFlag))(
    "limits the requests of one address as deploy/README.md says, and those that it lets through are answered",
    async () => {
      const server = await serveInProcess(await acmeStorage(), {}, { trustProxy });
      const proxy = await startLimiting(new URL(server.url).port);
      const answers = async (addresses: readonly string[]): Promise<readonly (number | undefined)[]> => {
        const statuses: (number | undefined)[] = [];
        for (const address of addresses)
          statuses.push((await send(proxy, "/healthz", { headers: { "X-Client": address } })).status);
        return statuses;
      };
      for (const host of hosts) {
        const limited = await answers(Array.from({ length: 7 }, (_, n) => host(n + 1)));
        expect([host(1), ...limited]).toEqual([host(1), 200, 200, 200, 200, 200, 429, 429]);
      }
    },
  );
});

// Where one is not installed, its tests are reported as skipped; CI installs both and requires them.
describe.each(kinds)("%s", (kind, installed) => {
  it.skipIf(!installed)(
    "the reverse proxy passes on lists, imports of 15 MiB, and Skep's own refusal of larger ones",
    async () => {
      const { proxy, headers } = await setUp(kind);
      const path = "/api/hives/web/strings";
      const large = await send(proxy, path, { method: "POST", headers, body: importOf(15 * mebibyte) });
      expect(large).toEqual({
        status: 200,
        text: '{"created":1000,"updated":0,"unchanged":0,"translations_cleared":0}',
      });
      const list = await send(proxy, `${path}?per_page=1`, { headers });
      expect(JSON.parse(list.text).meta.total).toBe(1000);
      const length = { ...headers, "content-length": 17 * mebibyte };
      const { outgoing, response } = begin(proxy, path, { method: "POST", headers: length });
      outgoing.on("error", () => {}).flushHeaders();
      const refused = await response;
      expect(refused.statusCode).toBe(413);
      expect(refused.headers["content-type"]).toContain("application/json");
      outgoing.destroy();
    },
  );

  it.skipIf(!installed)("the reverse proxy leaves %2F in a path as it is", async () => {
    const { proxy, headers } = await setUp(kind);
    const branches = "/api/hives/web/branches";
    const body = JSON.stringify({ name: "feature/login" });
    expect((await send(proxy, branches, { method: "POST", headers, body })).status).toBe(201);
    expect(await send(proxy, `${branches}/feature%2Flogin`, { headers })).toMatchObject({ status: 200 });
  });

  it.skipIf(!installed)("as deploy/README.md says, the server works below a path", async () => {
    const readme = fs.readFileSync(new URL("../../deploy/README.md", import.meta.url), "utf8");
    for (const line of belowPath[kind].lines) expect(readme).toContain(line);
    const storage = await acmeStorage();
    const token = await createToken(storage);
    const port = await freePort();
    const publicUrl = `https://localhost:${port}/skep`;
    const server = await serveInProcess(storage, {}, { trustProxy, publicUrl });
    const proxy = await startProxyBelowPath(kind, new URL(server.url).port, port);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const branches = "/skep/api/hives/web/branches";
    const body = JSON.stringify({ name: "feature/login" });
    expect((await send(proxy, branches, { method: "POST", headers, body })).status).toBe(201);
    expect((await send(proxy, `${branches}/feature%2Flogin`, { headers })).status).toBe(200);

    const form = { "content-type": "application/x-www-form-urlencoded", origin: `https://localhost:${port}` };
    const posted = begin(proxy, "/skep/sign-in", { method: "POST", headers: form });
    posted.outgoing.end(`token=${token}`);
    const { headers: signedIn } = await posted.response;
    expect(signedIn.location).toBe("./");
    const cookie = (signedIn["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
    const page = await send(proxy, "/skep/hives/web", { headers: { cookie, accept: "text/html" } });
    expect(page.text).toContain(`git clone ${publicUrl}/hives/web.git`);
    const [style = ""] = /(?<=href=")[^"]*\.css/.exec(page.text) ?? [];
    const { pathname } = new URL(style, `${publicUrl}/hives/web`);
    expect(await send(proxy, pathname, {})).toMatchObject({ status: 200 });
  });

  it.skipIf(!installed)("the reverse proxy passes on clones, in version 2 of git's protocol", async () => {
    const { proxy, token, headers } = await setUp(kind);
    const body = importOf(mebibyte);
    await send(proxy, "/api/hives/web/strings", { method: "POST", headers, body });
    const folder = realFolder();
    const trust = { GIT_SSL_CAINFO: proxy.certificate, GIT_TRACE_PACKET: "1" };
    const address = proxy.url.replace("://", `://token:${token}@`);
    const { code, stderr } = await tryGit(folder, ["clone", `${address}/hives/web.git`], trust);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/< version 2$/m);
    expect(fs.readFileSync(join(folder, "web/locales/en/a.php.json"), "utf8")).toContain("key999");
    const refused = await tryGit(folder, ["ls-remote", `${proxy.url}/hives/web.git`], trust);
    expect(refused.code).toBe(128);
  });

  it.skipIf(!installed)(
    "the reverse proxy tells whose request it is, and buffers neither bodies nor answers",
    async () => {
      let received = "";
      let forwarded: unknown;
      const stub = createServer((incoming, response) => {
        forwarded = incoming.headers["x-forwarded-for"];
        incoming.setEncoding("utf8").on("data", (text: string) => (received += text));
        incoming.once("end", () => {
          response.writeHead(200, { "content-type": "application/octet-stream" }).write("begun ");
          finish = () => response.end("done");
        });
      }).listen(0, "127.0.0.1");
      let finish: () => void = () => {};
      await once(stub, "listening");
      onTestFinished(() => void stub.close());
      const address = stub.address();
      if (address === null || typeof address === "string") throw new Error("not a TCP server");
      const proxy = await startProxy(kind, String(address.port));

      const headers = { "x-forwarded-for": "198.51.100.1" };
      const { outgoing, response } = begin(proxy, "/hives/web.git/git-upload-pack", {
        method: "POST",
        headers,
      });
      outgoing.write("first");
      // Each would wait for ever for a proxy that waits for the end.
      await vi.waitFor(() => expect(received).toBe("first"), { timeout: 120_000, interval: 10 });
      outgoing.end(" second");
      const incoming = (await response).setEncoding("utf8");
      const [begun] = await once(incoming, "data");
      expect(begun).toBe("begun ");
      finish();
      expect(await once(incoming, "data")).toEqual(["done"]);
      expect(received).toBe("first second");
      // What the client claims stands to the left of what the proxy saw, or nowhere.
      expect(String(forwarded)).toMatch(/^(198\.51\.100\.1, )?(127\.0\.0\.1|::1)$/);
    },
  );
});
