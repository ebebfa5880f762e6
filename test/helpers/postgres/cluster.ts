/**
 * A throw-away PostgreSQL of Debian's programs: one for each process of tests, with a database for each test. It ends with
 * the process, however that ends.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import { freePort } from "../../deploy/proxy.ts";
import { realFolder } from "../storage.ts";

const installed = "/usr/lib/postgresql";
const password = "for tests alone";

function versions(): readonly string[] {
  return existsSync(installed) ? readdirSync(installed).toSorted((a, b) => Number(b) - Number(a)) : [];
}

/** The folder of the newest PostgreSQL's programs; undefined where there is none. */
export function findPrograms(): string | undefined {
  const folders = [
    ...(process.env.PATH ?? "").split(":"),
    ...versions().map((v) => join(installed, v, "bin")),
  ];
  return folders.find((folder) =>
    ["initdb", "postgres", "pg_basebackup"].every((name) => existsSync(join(folder, name))),
  );
}

/** Whether tests with PostgreSQL are skipped. `.ci/run` says that none is: there its absence is a failure. */
export function isMissing(): boolean {
  if (findPrograms() !== undefined || process.env.SKEP_TEST_POSTGRES === "required") return false;
  console.warn("Tests with PostgreSQL are skipped: its programs initdb and postgres are not installed.");
  return true;
}

/** PostgreSQL does not run as the superuser: then it runs as nobody. */
export function user(): { readonly uid?: number; readonly gid?: number } {
  return process.geteuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

/** A temporary folder of the user that PostgreSQL runs as. */
export function ownFolder(): string {
  const folder = realFolder();
  const { uid, gid } = user();
  // Whoever may connect without a password is the one who may enter the folder.
  chmodSync(folder, 0o700);
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** Runs statements as the superuser `skep`. @param folder has the socket. */
export async function runSql(
  {
    folder: host,
    port,
    database,
  }: { readonly folder: string; readonly port: number; readonly database: string },
  text: string,
): Promise<readonly postgres.Row[]> {
  const username = "skep";
  const sql = postgres({ host, port, username, database, max: 1, onnotice: () => {}, connect_timeout: 5 });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

export interface ClusterOptions {
  /** Whether connections are encrypted, with a certificate for the address 0.0.0.0 in `cert.pem` of its folder. */
  readonly hasTls?: boolean;
  /** Puts a disk at the place of its data; its log of writes has another one. */
  readonly mount?: (data: string) => void;
  /** Settings of `postgresql.conf`, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL that runs in a temporary folder, on a port of 127.0.0.1 and on a socket in the folder. */
export class Cluster {
  readonly folder: string;
  readonly port: number;
  readonly #programs: string;
  #process: ChildProcess | undefined;
  #databases = 0;

  private constructor(programs: string, folder: string, port: number) {
    this.#programs = programs;
    this.folder = folder;
    this.port = port;
  }

  /** Makes a cluster, and starts it. */
  static async start({ hasTls = false, mount, settings = {} }: ClusterOptions = {}): Promise<Cluster> {
    const programs = findPrograms();
    if (programs === undefined) throw new Error("PostgreSQL is not installed");
    const folder = ownFolder();
    const secret = join(folder, "password");
    writeFileSync(secret, `${password}\n`, { mode: 0o644 });
    const data = join(folder, "data");
    const methods = ["--auth-local=trust", "--auth-host=scram-sha-256", "--username=skep"];
    mount?.(data);
    if (mount !== undefined) methods.push(`--waldir=${join(folder, "wal")}`);
    execFileSync(
      join(programs, "initdb"),
      ["-D", data, "--no-sync", "-E", "UTF8", "--locale=C", `--pwfile=${secret}`, ...methods],
      { ...user(), cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
    );
    const cluster = new Cluster(programs, folder, await freePort());
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    if (hasTls) {
      const subject = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:0.0.0.0"];
      const files = ["-keyout", key, "-out", cert];
      const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...subject, ...files];
      execFileSync("openssl", args, { ...user(), stdio: "ignore" });
    }
    const all = {
      ...(hasTls ? { ssl: "on", ssl_cert_file: cert, ssl_key_file: key } : {}),
      port: String(cluster.port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      fsync: "off",
      full_page_writes: "off",
      max_connections: "200",
      shared_buffers: "32MB",
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
    writeFileSync(join(data, "postgresql.auto.conf"), lines.join(""));
    await cluster.run();
    return cluster;
  }

  /** Makes a standby, and starts it; commits wait for it from then on. */
  async standby(): Promise<Cluster> {
    const folder = ownFolder();
    const from = `host=${this.folder} port=${this.port} user=skep application_name=standby`;
    const args = ["-D", join(folder, "data"), "-d", from, "-R", "--no-sync", "--checkpoint=fast"];
    await promisify(execFile)(join(this.#programs, "pg_basebackup"), args, { ...user(), cwd: folder });
    const standby = new Cluster(this.#programs, folder, await freePort());
    const lines = [`port = '${standby.port}'\n`, `unix_socket_directories = '${folder}'\n`];
    appendFileSync(join(folder, "data", "postgresql.auto.conf"), lines.join(""));
    await standby.run();
    await this.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await this.sql("SELECT pg_reload_conf()");
    return standby;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.sql("SELECT pg_promote()");
    await this.sql("ALTER SYSTEM RESET synchronous_standby_names");
    await this.sql("SELECT pg_reload_conf()");
  }

  /** Starts the server, which was stopped, and waits until it answers. */
  async run(): Promise<void> {
    // The shell ends the server as soon as its input ends, which it does with this process.
    const script = '"$0" "$@" & server=$!; read -r _; kill -INT $server; wait $server';
    const child = spawn(
      "sh",
      ["-c", script, join(this.#programs, "postgres"), "-D", join(this.folder, "data")],
      {
        ...user(),
        cwd: this.folder,
        stdio: ["pipe", "ignore", "pipe"],
      },
    );
    this.#process = child;
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-10_000)));
    child.unref();
    for (let tries = 0; ; tries++) {
      try {
        await this.sql("SELECT 1");
        return;
      } catch (error) {
        if (tries > 1_000 || child.exitCode !== null)
          throw new Error(`it does not start: ${said}`, { cause: error });
        await sleep(20);
      }
    }
  }

  /** Stops the server at once, without waiting for its connections. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.stdin == null) return;
    const exit = once(child, "exit");
    // Otherwise a process that waits for nothing else would end before.
    child.ref();
    child.stdin.end();
    await exit;
  }

  /** Kills the server as a power cut does: it sends nothing more to a standby. */
  async kill(): Promise<void> {
    const [pid = ""] = readFileSync(join(this.folder, "data", "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
    await this.stop();
  }

  /** Runs statements as the superuser, over the socket. */
  sql(text: string, database = "postgres"): Promise<readonly postgres.Row[]> {
    return runSql({ folder: this.folder, port: this.port, database }, text);
  }

  /** The address of a database of this cluster. @param port another one, such as of a proxy. */
  url(database: string, port = this.port): string {
    return `postgres://skep:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  }

  /** Makes a database, empty or with the tables of another one. @returns its name. */
  async database(template = "template1"): Promise<string> {
    this.#databases++;
    const name = `test_${this.#databases}`;
    await this.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return name;
  }
}

let shared: Promise<Cluster> | undefined;

/** The cluster of this process of tests, which is started when it is first needed. */
export function cluster(): Promise<Cluster> {
  return (shared ??= Cluster.start());
}
