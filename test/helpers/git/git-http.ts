/** A real smart HTTP server of git repositories on the loopback address: `git http-backend` behind node:http. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface GitHttpServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** What it does with the requests that come from now on. */
  mode: "serve" | "fail" | "hang" | { readonly redirect: string };
  /** The requests that came, as `GET /path`. */
  readonly requests: string[];
  /** How many clients are connected: one that was ended is not. */
  readonly connections: () => number;
}

/** Serves the bare repositories of a folder to one user. */
export async function serveGit(
  folder: string,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<GitHttpServer> {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    served.requests.push(`${request.method} ${request.url}`);
    if (served.mode === "hang") return;
    if (served.mode === "fail") response.writeHead(503).end("down for maintenance");
    else if (served.mode !== "serve") {
      response.writeHead(302, { location: served.mode.redirect + request.url }).end();
    } else if (request.headers.authorization !== expected) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else runBackend(folder, user, request, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const served: GitHttpServer = { url: "", mode: "serve", requests: [], connections: () => sockets.size };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP server");
  return Object.assign(served, { url: `http://127.0.0.1:${address.port}` });
}

function runBackend(folder: string, user: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const { "content-encoding": encoding, "content-type": type, "git-protocol": protocol } = request.headers;
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: user,
      REMOTE_ADDR: "127.0.0.1",
      CONTENT_TYPE: type,
      HTTP_CONTENT_ENCODING: encoding,
      ...(typeof protocol === "string" ? { GIT_PROTOCOL: protocol } : {}),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => {});
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    let status = 200;
    for (const line of output.subarray(0, end).toString("latin1").split("\r\n")) {
      const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? [];
      if (name === "Status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status).end(output.subarray(end + 4));
  });
}
