/** Three throw-away PostgreSQL under Patroni, with etcd: the one that writes is found and replaced as in production. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../../deploy/proxy.ts";
import { findPrograms, ownFolder, runSql, user } from "./cluster.ts";

const password = "for tests alone";
/** Of the database: it has no other rights. */
const owner = "app";
/** As short as this allows: a primary that has fallen silent is replaced after the time to live at the latest. */
const times = { ttl: 8, loop_wait: 1, retry_timeout: 3 };

/** Whether tests with Patroni are skipped. `.ci/run` says that none is: there its absence is a failure. */
export function isMissing(): boolean {
  const folders = (process.env.PATH ?? "").split(":");
  const missing = ["patroni", "etcd"].filter(
    (name) => !folders.some((folder) => existsSync(join(folder, name))),
  );
  if (findPrograms() === undefined) missing.push("postgres");
  if (missing.length === 0 || process.env.SKEP_TEST_POSTGRES === "required") return false;
  console.warn(`Tests with Patroni are skipped: not installed are ${missing.join(", ")}.`);
  return true;
}

/** Runs a shell's script as the user of PostgreSQL. @returns ends its input, which the script waits for, and then it. */
function runScript(folder: string, script: string, args: readonly string[]): () => Promise<void> {
  const log = openSync(join(folder, "log"), "a");
  const child = spawn("sh", ["-c", script, ...args], { ...user(), cwd: folder, stdio: ["pipe", log, log] });
  const exit = once(child, "exit");
  closeSync(log);
  child.unref();
  return async () => {
    child.stdin?.end();
    await exit;
  };
}

/** What Patroni says of a member. */
interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

/** One PostgreSQL and the Patroni that runs it. */
class Member {
  readonly name: string;
  readonly port: number;
  readonly #folder: string;
  readonly #api: string;
  #end: () => Promise<void> = () => Promise.resolve();

  constructor(name: string, folder: string, ports: readonly [postgres: number, api: number]) {
    this.name = name;
    this.#folder = folder;
    this.port = ports[0];
    this.#api = `http://127.0.0.1:${ports[1]}`;
  }

  /** Starts Patroni, which starts PostgreSQL, or takes over the one that runs. Both end with this process. */
  async start(): Promise<void> {
    await this.#end();
    const script = `
      "$0" patroni.json & patroni=$!
      echo $patroni >patroni.pid
      read -r _
      kill -9 $patroni
      postgres=$(head -n 1 data/postmaster.pid) && kill -QUIT $postgres && kill -CONT $postgres`;
    this.#end = runScript(this.#folder, script, ["patroni"]);
  }

  /** Ends both at once. */
  async end(): Promise<void> {
    this.#signal("SIGCONT", this.postgres());
    await this.#end();
  }

  /** The processes of PostgreSQL, of which the first starts the others; none if it does not run. */
  postgres(): readonly number[] {
    try {
      const [pid = ""] = readFileSync(join(this.#folder, "data", "postmaster.pid"), "utf8").split("\n");
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
      return [Number(pid), ...children.split(" ").filter(Boolean).map(Number)];
    } catch {
      return [];
    }
  }

  get #patroni(): number {
    return Number(readFileSync(join(this.#folder, "patroni.pid"), "utf8"));
  }

  #signal(signal: NodeJS.Signals, pids: readonly number[]): void {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }

  /** Kills PostgreSQL as a power cut does: it sends nothing more. */
  killPostgres(): void {
    // Stopped first: none notices the end of another.
    this.#signal("SIGSTOP", this.postgres());
    this.#signal("SIGKILL", this.postgres());
  }

  /** The same, and Patroni before it. */
  kill(): void {
    this.#signal("SIGKILL", [this.#patroni]);
    this.killPostgres();
  }

  /** Both stand still, as on a machine that is paused. */
  pause(): void {
    this.#signal("SIGSTOP", [this.#patroni, ...this.postgres()]);
    // What was started meanwhile.
    this.#signal("SIGSTOP", this.postgres());
  }

  resume(): void {
    this.#signal("SIGCONT", [...this.postgres(), this.#patroni]);
  }

  /** Calls Patroni. */
  async call(path: string, body?: object): Promise<Response> {
    const init = body && { method: "POST", body: JSON.stringify(body) };
    return fetch(this.#api + path, { ...init, signal: AbortSignal.timeout(body ? 60_000 : 1_000) });
  }

  /** Runs statements as the superuser, over the socket. */
  sql(text: string, database = "postgres") {
    return runSql({ folder: this.#folder, port: this.port, database }, text);
  }
}

export type { Member };

export class PatroniCluster {
  readonly members: readonly Member[];
  readonly #endEtcd: () => Promise<void>;

  private constructor(members: readonly Member[], endEtcd: () => Promise<void>) {
    this.members = members;
    this.#endEtcd = endEtcd;
  }

  /** Makes a cluster whose commits wait for a synchronous standby, and a database in it. */
  static async start(database: string): Promise<PatroniCluster> {
    const programs = findPrograms();
    if (programs === undefined) throw new Error("PostgreSQL is not installed");
    const etcdFolder = ownFolder();
    const [client, peer] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
    const etcd = {
      name: "one",
      "data-dir": etcdFolder,
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `one=${peer}`,
      "enable-v2": "true",
    };
    const flags = Object.entries(etcd).map(([name, value]) => `--${name}=${value}`);
    const endEtcd = runScript(etcdFolder, '"$0" "$@" & read -r _; kill -9 $!', ["etcd", ...flags]);
    const members: Member[] = [];
    for (const name of ["one", "two", "three"]) {
      const folder = ownFolder();
      const [postgres, api] = [await freePort(), await freePort()];
      const at = { listen: `127.0.0.1:${postgres}`, connect_address: `127.0.0.1:${postgres}` };
      const rest = { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` };
      const config = {
        scope: "skep",
        name,
        restapi: rest,
        // With etcd's third protocol, Patroni 3.0.2 lets a primary that stood still take its place back from the next one.
        etcd: { host: client.slice("http://".length) },
        bootstrap: {
          dcs: {
            ...times,
            synchronous_mode: true,
            synchronous_mode_strict: true,
            postgresql: {
              use_pg_rewind: true,
              remove_data_directory_on_rewind_failure: true,
              parameters: { fsync: "off", shared_buffers: "16MB", max_connections: 60, min_wal_size: "8MB" },
            },
          },
          initdb: [{ encoding: "UTF8" }, { locale: "C" }, { "wal-segsize": "1" }, "no-sync"],
        },
        postgresql: {
          ...at,
          data_dir: join(folder, "data"),
          bin_dir: programs,
          pgpass: join(folder, "pgpass"),
          basebackup: [{ checkpoint: "fast" }, "no-sync"],
          authentication: {
            superuser: { username: "skep", password },
            replication: { username: "standby", password },
          },
          parameters: { unix_socket_directories: folder },
          pg_hba: [
            "local all all trust",
            "host all all 127.0.0.1/32 scram-sha-256",
            "host replication standby 127.0.0.1/32 scram-sha-256",
          ],
        },
        watchdog: { mode: "off" },
      };
      writeFileSync(join(folder, "patroni.json"), JSON.stringify(config), { mode: 0o644 });
      members.push(new Member(name, folder, [postgres, api]));
    }
    for (const member of members) await member.start();
    const cluster = new PatroniCluster(members, endEtcd);
    await cluster.isWhole();
    const primary = await cluster.primary();
    await primary.sql(`CREATE ROLE ${owner} LOGIN PASSWORD '${password}'`);
    await primary.sql(`CREATE DATABASE ${database} OWNER ${owner}`);
    return cluster;
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()));
    await this.#endEtcd();
  }

  /** What the first member that answers says of all; nothing if none does. */
  async states(): Promise<readonly MemberState[]> {
    for (const member of this.members) {
      try {
        const { members } = (await (await member.call("/cluster")).json()) as { members: MemberState[] };
        return members;
      } catch {
        // It does not run, or stands still.
      }
    }
    return [];
  }

  /** Waits until there is a primary. @param other than this one. */
  async primary(other?: Member): Promise<Member> {
    return vi.waitFor(
      async () => {
        for (const member of this.members) {
          if (member === other) continue;
          const { status } = await member.call("/primary").catch(() => ({ status: 0 }));
          if (status === 200) return member;
        }
        throw new Error("there is no primary");
      },
      { timeout: 200_000, interval: 50 },
    );
  }

  /** Waits until all run, and one is the synchronous standby. */
  async isWhole(): Promise<void> {
    await vi.waitFor(
      async () => {
        const states = await this.states();
        const roles = states.map(({ role }) => role).toSorted();
        if (
          roles.join(" ") !== "leader replica sync_standby" ||
          !states.every(({ state }) => /running|streaming/.test(state))
        )
          throw new Error(`it is not whole: ${JSON.stringify(states)}`);
      },
      { timeout: 200_000, interval: 100 },
    );
  }

  /** The address of a database, which names all members. */
  url(database: string): string {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgres://${owner}:${encodeURIComponent(password)}@${hosts}/${database}?target_session_attrs=read-write`;
  }
}
