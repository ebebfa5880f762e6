/** Real reverse proxies with the configurations of deploy/, in front of a server on this machine. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { request, type RequestOptions } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { blocks } from "../docs/shell.ts";
import { realFolder } from "../helpers/storage.ts";

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));

export type ProxyKind = "nginx" | "caddy";

/** Debian keeps servers where a user's path may not lead. */
const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** Whether a program is installed. Where it must be, it is taken to be, so that its absence fails. */
export function isInstalled(program: string, versionFlag: string): boolean {
  if (process.env.SKEP_TEST_DEPLOY === "required") return true;
  return spawnSync(program, [versionFlag], { env: environment }).error === undefined;
}

export interface RunningProxy {
  /** `https://localhost:<port>`, without a slash at the end. */
  readonly url: string;
  /** The file of the certificate to trust. */
  readonly certificate: string;
}

/** Starts HAProxy in front of two ports of this machine, with TLS. It ends with the test. */
export async function startHaproxy(first: string, second: string, edits: Edits = []): Promise<RunningProxy> {
  const folder = realFolder();
  const [certificate, key] = makeCertificate(folder);
  const both = join(folder, "both.pem");
  fs.writeFileSync(both, fs.readFileSync(certificate, "utf8") + fs.readFileSync(key, "utf8"));
  const port = await freePort();
  const file = join(folder, "haproxy.cfg");
  const text = replaceAll(fs.readFileSync(join(deploy, "haproxy-servers.cfg"), "utf8"), [
    ["bind :443 ", `bind 127.0.0.1:${port} `],
    ["/etc/haproxy/skep.example.org.pem", both],
    ["10.0.0.11:4488", `127.0.0.1:${first}`],
    ["10.0.0.12:4488", `127.0.0.1:${second}`],
    ...edits,
  ]);
  fs.writeFileSync(file, text);
  await listening(["haproxy", ["-db", "-f", file]], folder, port);
  return { url: `https://localhost:${port}`, certificate };
}

/** Starts a proxy in front of ports of this machine, with TLS. It ends with the test. @param others of nginx alone. */
export function startProxy(
  kind: ProxyKind,
  upstreamPort: string,
  ...others: readonly string[]
): Promise<RunningProxy> {
  return start(kind, { upstreamPort, others, port: undefined, edits: [] });
}

/** Starts an nginx with edits of its configuration in front of a port of this machine. It ends with the test. */
export function startNginxWith(edits: Edits, upstreamPort: string): Promise<RunningProxy> {
  return start("nginx", { upstreamPort, others: [], port: undefined, edits });
}

/** Edits of a configuration, each of something that is there. */
type Edits = readonly (readonly [string | RegExp, string])[];

/** How `deploy/README.md` puts the server below `/skep/`. */
export const belowPath: Readonly<
  Record<ProxyKind, { readonly lines: readonly string[]; readonly edits: Edits }>
> = {
  nginx: {
    lines: [
      "map $request_uri $skep_path { ~^/skep(?<rest>/.*)$ $rest; }",
      "location = /skep { return 308 /skep/$is_args$args; }",
      "location /skep/ {",
      "proxy_pass http://skep$skep_path;",
    ],
    edits: [
      [/^upstream skep/gm, "map $$request_uri $$skep_path { ~^/skep(?<rest>/.*)$$ $$rest; }\nupstream skep"],
      ["location / {", "location = /skep { return 308 /skep/$$is_args$$args; }\nlocation /skep/ {"],
      ["proxy_pass http://skep;", "proxy_pass http://skep$$skep_path;"],
    ],
  },
  caddy: {
    lines: ["redir /skep /skep/", "handle_path /skep/* {", "reverse_proxy 127.0.0.1:4488 {"],
    edits: [
      ["reverse_proxy ", "redir /skep /skep/\n\thandle_path /skep/* {\n\treverse_proxy "],
      [/\}\n*$/g, "}\n}\n"],
    ],
  },
};

/**
 * The edits by which a proxy limits the requests of an address, as `deploy/README.md` writes them, but for the numbers: five
 * are let through, and no more in the minutes of a test, however fast they are sent. `X-Client` is the address of the client.
 */
export function limitsOf(kind: "nginx" | "haproxy"): Edits {
  const [language, first] =
    kind === "nginx" ? ["nginx", "map $remote_addr "] : ["text", "backend skep_requests"];
  const block = blocks("deploy/README.md", language).find((code) => code.startsWith(first)) ?? "";
  const few = replaceAll(
    block,
    kind === "nginx"
      ? [
          ["rate=50r/s", "rate=1r/m"],
          ["burst=200", "burst=4"],
        ]
      : [
          ["(10s)", "(1h)"],
          ["expire 60s", "expire 1h"],
          ["gt 500", "gt 5"],
        ],
  );
  // A replacement would read `$binary_remote_addr` as a reference.
  const [outer = "", inner = ""] = few.replaceAll("$", "$$$$").split(/^(?:location \/ \{|frontend skep)$/m);
  return kind === "nginx"
    ? [
        [/^upstream skep/gm, `${outer}upstream skep`],
        [
          "location / {",
          `location / {${inner.replace(/\}\s*$/, "")}\nset_real_ip_from 127.0.0.1;\nreal_ip_header X-Client;\n`,
        ],
      ]
    : [
        [/^frontend skep$/gm, `${outer}frontend skep`],
        [
          /^ *default_backend skep$/gm,
          `http-request set-src hdr(X-Client)\n${inner}\n    default_backend skep`,
        ],
      ];
}

/** Starts a proxy that has a server of this machine below `/skep/`. It ends with the test. @param port that it listens at. */
export function startProxyBelowPath(
  kind: ProxyKind,
  upstreamPort: string,
  port: number,
): Promise<RunningProxy> {
  return start(kind, { upstreamPort, others: [], port, edits: belowPath[kind].edits });
}

async function start(
  kind: ProxyKind,
  {
    port: given,
    ...served
  }: Pick<Place, "upstreamPort" | "others" | "edits"> & { readonly port: number | undefined },
): Promise<RunningProxy> {
  const folder = realFolder();
  const [certificate, key] = makeCertificate(folder);
  const port = given ?? (await freePort());
  const place = { folder, certificate, key, port, ...served };
  await listening(kind === "nginx" ? await nginx(place) : caddy(place), folder, port);
  return { url: `https://localhost:${port}`, certificate };
}

/** @returns the files of a certificate and of its key. */
function makeCertificate(folder: string): readonly [string, string] {
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...subject, ...files],
    {
      stdio: "ignore",
    },
  );
  return [certificate, key];
}

/** Runs a program until the end of the test, and waits until it listens. */
async function listening(
  [program, args]: readonly [string, readonly string[]],
  folder: string,
  port: number,
): Promise<void> {
  const child = spawn(program, args, {
    env: { ...environment, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exit = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exit;
  });
  const listens = async (): Promise<boolean> => child.exitCode !== null || (await answers(port));
  await vi.waitUntil(listens, { timeout: 120_000, interval: 25 });
  if (child.exitCode !== null) throw new Error(`${program} does not listen: ${said}`);
}

export type CacheKind = "nginx" | "varnish";

/**
 * Starts a cache in front of a port of this machine. It ends with the test.
 * @returns `http://127.0.0.1:<port>`, without a slash at the end.
 */
export async function startCache(kind: CacheKind, upstreamPort: number): Promise<string> {
  const folder = realFolder();
  const port = await freePort();
  const read = (name: string): string => fs.readFileSync(join(deploy, name), "utf8");
  if (kind === "nginx") {
    const site = replaceAll(read("nginx-cache.conf"), [
      ["listen 8080;", `listen 127.0.0.1:${port};`],
      ["server 127.0.0.1:4488;", `server 127.0.0.1:${upstreamPort};`],
      ["/var/cache/nginx/skep", join(folder, "cache")],
    ]);
    await listening(nginxOn(folder, site), folder, port);
  } else {
    const vcl = replaceAll(read("varnish.vcl"), [['.port = "4488";', `.port = "${upstreamPort}";`]]);
    fs.writeFileSync(join(folder, "skep.vcl"), vcl);
    const flags = ["-F", "-j", "none", "-n", join(folder, "varnish"), "-f", join(folder, "skep.vcl")];
    const args = [...flags, "-a", `127.0.0.1:${port}`, "-s", "malloc,32m"];
    await listening(["varnishd", args], folder, port);
  }
  return `http://127.0.0.1:${port}`;
}

interface Place {
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
  readonly port: number;
  readonly upstreamPort: string;
  readonly others: readonly string[];
  readonly edits: Edits;
}

/** `nginx.conf`, whose upstream is that of `nginx-servers.conf` where there are two servers. */
function nginxSite({ upstreamPort, others: [other] }: Place): string {
  const read = (name: string): string => fs.readFileSync(join(deploy, name), "utf8");
  const server = "server 127.0.0.1:4488;";
  if (other === undefined)
    return replaceAll(read("nginx.conf"), [[server, `server 127.0.0.1:${upstreamPort};`]]);
  const upstream = replaceAll(read("nginx-servers.conf"), [
    ["server 10.0.0.11:4488 ", `server 127.0.0.1:${upstreamPort} `],
    ["server 10.0.0.12:4488 ", `server 127.0.0.1:${other} `],
    // A server that stops waits for 6 s, and nginx may end an idle connection late on a machine that does much else.
    ["keepalive_timeout 5s;", "keepalive_timeout 1s;"],
  ]);
  return replaceAll(read("nginx.conf"), [[/^upstream skep \{[^}]*\}\n/gm, upstream]]);
}

async function nginx(place: Place): Promise<readonly [string, readonly string[]]> {
  const { folder, certificate, key, port, edits } = place;
  const site = replaceAll(nginxSite(place), [
    ...edits,
    [/^ *listen \[::\]:.*\n/gm, ""],
    ["listen 80;", `listen 127.0.0.1:${await freePort()};`],
    ["listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`],
    ["/etc/letsencrypt/live/skep.example.org/fullchain.pem", certificate],
    ["/etc/letsencrypt/live/skep.example.org/privkey.pem", key],
  ]);
  return nginxOn(folder, site);
}

/** An nginx with a configuration of sites. */
function nginxOn(folder: string, site: string): readonly [string, readonly string[]] {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  const main = `${user}daemon off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}}\n`;
  fs.writeFileSync(join(folder, "nginx.conf"), main);
  return ["nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"]];
}

function caddy({ folder, certificate, key, port, upstreamPort, edits }: Place): [string, string[]] {
  const site = replaceAll(fs.readFileSync(join(deploy, "Caddyfile"), "utf8"), [
    ["skep.example.org {", `https://localhost:${port} {\n\ttls ${certificate} ${key}`],
    ["reverse_proxy 127.0.0.1:4488 {", `reverse_proxy 127.0.0.1:${upstreamPort} {`],
    ...edits,
  ]);
  const path = join(folder, "Caddyfile");
  fs.writeFileSync(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return ["caddy", ["run", "--config", path, "--adapter", "caddyfile"]];
}

/** @throws Error when something that is to be replaced is not there. */
function replaceAll(text: string, changes: Edits): string {
  return changes.reduce((before, [pattern, replacement]) => {
    const after = before.replaceAll(pattern, replacement);
    if (after === before) throw new Error(`there is no ${String(pattern)} in the configuration`);
    return after;
  }, text);
}

/** A port of the loopback address that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("not a TCP server");
  return address.port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** Begins a request through a proxy; the caller writes its body and ends it. */
export function begin({ url, certificate }: RunningProxy, path: string, options: RequestOptions) {
  const outgoing = request(url + path, { ca: fs.readFileSync(certificate), agent: false, ...options });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject);
  });
  return { outgoing, response };
}

/** The same with the whole answer. */
export async function send(
  proxy: RunningProxy,
  path: string,
  { body = "", ...options }: RequestOptions & { readonly body?: string },
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const { outgoing, response } = begin(proxy, path, options);
  outgoing.end(body);
  const incoming = await response;
  let text = "";
  for await (const piece of incoming.setEncoding("utf8")) text += piece;
  return { status: incoming.statusCode, text };
}
