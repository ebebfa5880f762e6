/** What people are told when a database cannot be used. */
import nodeFs, { writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connectTo, parseAddress, type DatabaseOptions } from "../../../src/store/postgres/address.ts";
import { Database, isDatabaseAway } from "../../../src/store/postgres/database.ts";
import { prepareRecord } from "../../../src/store/postgres/postgres-record.ts";
import { Session } from "../../../src/store/postgres/session.ts";
import { settingsFormat } from "../../../src/store/settings/stored-settings.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { skipTime } from "../../helpers/limits/held-time.ts";
import { Cluster, cluster, isMissing } from "../../helpers/postgres/cluster.ts";
import { realFolder } from "../../helpers/storage.ts";

async function connect(database: DatabaseOptions): Promise<"connected"> {
  const { close } = await prepareRecord({ folder: realFolder(), disk: nodeFs, database, polls: false });
  await close();
  return "connected";
}

/** Connects until the time is over, which it is after the first try. */
async function connectInVain(database: DatabaseOptions): Promise<unknown> {
  const withinMs = 120_000;
  const find = Session.find.bind(Session);
  const spy = vi.spyOn(Session, "find");
  spy.mockImplementation((...args) => find(...args).finally(() => skipTime(withinMs)));
  try {
    return await connect({ ...database, withinMs });
  } finally {
    spy.mockRestore();
  }
}

/** Listens on a port of this machine, until the test is finished. */
async function listenLocally(connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    connected(socket);
  }).listen(0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Listens as a database that refuses all who connect. @param code of PostgreSQL. */
function refusing(code: string, message: string): Promise<number> {
  const fields = ["SFATAL", `C${code}`, `M${message}`, "", ""].join("\0");
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  const refusal = Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]);
  return listenLocally((socket) => socket.once("data", () => socket.end(refusal)));
}

/** Waits until nobody is connected to a database: an open connection would keep a command from ending. */
async function isAlone(server: Cluster, name: string): Promise<void> {
  const others = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = '${name}'`;
  await vi.waitFor(async () => expect(await server.sql(others)).toEqual([{ count: 0 }]), 60_000);
}

describe("the address of a database", () => {
  it("names several machines, a user and a database", () => {
    const { hosts, user, database } = parseAddress({
      url: "postgres://me%40x@one,two:5433,[::1]:7/my%20db?sslmode=verify-full",
    });
    expect(hosts).toEqual([
      { host: "one", port: 5432 },
      { host: "two", port: 5433 },
      { host: "::1", port: 7 },
    ]);
    expect([user, database]).toEqual(["me@x", "my db"]);
    expect(parseAddress({ url: "postgresql:///skep?host=/run/postgresql" }).hosts).toEqual([
      { host: "/run/postgresql", port: 5432 },
    ]);
  });

  it.each([
    ["mysql://localhost/skep", "postgres://user@host/name"],
    ["postgres://localhost", "postgres://user@host/name"],
    ["postgres://h:99999/skep", "no port 99999"],
    ["postgres://u:%zz@h/skep%", "a % in it"],
    ["postgres://h/skep?sslmode=disable", "encrypted and verified"],
    ["postgres://127.evil.example/skep?sslmode=disable", "encrypted and verified"],
    ["postgres://h/skep?sslmode=prefer", "encrypted and verified"],
    ["postgres://h/skep?options=-c", "unknown"],
  ])("%s is refused with a line that never has the password", async (url, why) => {
    await expect((async () => parseAddress({ url }).password())()).rejects.toThrow(why);
  });
});

describe.skipIf(isMissing())("a database", () => {
  it("takes its password from a file", async () => {
    const server = await cluster();
    const file = join(realFolder(), "password");
    writeFileSync(file, "for tests alone\n");
    const url = server.url(await server.database()).replace(/:[^:@/]+@/, "@");
    await connect({ url, passwordFile: file });
    writeFileSync(file, "another\n");
    const refused = connect({ url, passwordFile: file });
    await expect(refused).rejects.toThrow('refuses the user "skep"');
    // A running server is not to tell its callers that they are refused.
    await expect(refused).rejects.toSatisfy((error) => isFailure(error, "record-unavailable"));
  });

  it("is reached over its socket, too", async () => {
    const server = await cluster();
    const url = `postgres://skep@/${await server.database()}?host=${server.folder}:${server.port}`;
    expect(await connect({ url })).toBe("connected");
  });

  it("that is missing, or gives too few rights, is reported in one line", async () => {
    const server = await cluster();
    await expect(connect({ url: server.url("nothing") })).rejects.toThrow('has no database "nothing"');
    const name = await server.database();
    await server.sql("DROP ROLE IF EXISTS plain; CREATE ROLE plain LOGIN PASSWORD 'p'");
    const url = `postgres://plain:p@127.0.0.1:${server.port}/${name}`;
    await expect(connect({ url })).rejects.toThrow('gives the user "plain" too few rights');
    await connect({ url: server.url(name) });
    await expect(connect({ url })).rejects.toThrow('gives the user "plain" too few rights');
  });

  it.each(["passwordFile", "caFile"])(
    "whose %s cannot be read is no database that may be back",
    async (name) => {
      const server = await cluster();
      const options = { url: server.url("postgres"), [name]: join(realFolder(), "missing") };
      const error: unknown = await connect(options).catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/A file for connections to the database cannot be read: ENOENT/);
      expect(isDatabaseAway(error)).toBe(false);
    },
  );

  it("of a later version is refused", async () => {
    const server = await cluster();
    const name = await server.database();
    await connect({ url: server.url(name) });
    await server.sql("UPDATE meta SET schema_version = 99", name);
    await expect(connect({ url: server.url(name) })).rejects.toThrow(
      "A later version of Skep set this database up",
    );
    await isAlone(server, name);
  });

  it("keeps no connection that was being made when it was closed", async () => {
    const server = await cluster();
    const name = await server.database();
    const database = new Database({ url: server.url(name) });
    const listening = database.connect(() => {});
    const asking = database.query((sql) => sql`SELECT 1`);
    const outcomes = Promise.allSettled([listening, asking]);
    await database.close();
    for (const { status } of await outcomes) expect(status).toBe("rejected");
    await expect(database.connect(() => {})).rejects.toSatisfy((error) =>
      isFailure(error, "record-unavailable"),
    );
    await isAlone(server, name);
  });

  it("is found among several machines, of which some do not answer", async () => {
    const server = await cluster();
    const url = server.url(await server.database()).replace("@", "@127.0.0.1:1,");
    await connect({ url });
    const none = "postgres://127.0.0.1:1,127.0.0.1:2/skep";
    await expect(connectInVain({ url: none })).rejects.toThrow("127.0.0.1:2: connect ECONNREFUSED");
  });

  it("is found among several machines, of which one stands still and one is behind", async () => {
    const server = await cluster();
    const name = await server.database();
    const still = await listenLocally(() => {});
    const behind = await refusing("3D000", `database "${name}" does not exist`);
    const others = `127.0.0.1:${still},127.0.0.1:${behind}`;
    expect(await connect({ url: server.url(name).replace("@", `@${others},`) })).toBe("connected");
    const refused = connect({ url: `postgres://127.0.0.1:${behind},127.0.0.1:${behind}/${name}` });
    await expect(refused).rejects.toThrow(`has no database "${name}"`);
    const silent = connect({ url: `postgres://127.0.0.1:${still}/${name}`, withinMs: 100 });
    await expect(silent).rejects.toThrow("The database does not answer");
  });

  it.each([
    ["53300", "The database has no connection left for this server."],
    ["57P03", "The database is starting or stopping."],
  ])("that refuses connections for a while says why: %s", async (code, problem) => {
    const port = await refusing(code, "not now");
    for (const hosts of [`127.0.0.1:${port}`, `127.0.0.1:1,127.0.0.1:${port}`]) {
      await expect(connectInVain({ url: `postgres://skep:x@${hosts}/skep` })).rejects.toMatchObject({
        code: "record-unavailable",
        data: { problem },
      });
    }
  });

  it("that resets its connections does not answer, and nothing else breaks", async () => {
    const passwordFile = join(realFolder(), "password");
    writeFileSync(passwordFile, "any\n");
    const port = await listenLocally((socket) => setImmediate(() => socket.resetAndDestroy()));
    const url = `postgres://127.0.0.1:${port}/skep`;
    const tries = Array.from({ length: 50 }, () => connect({ url, passwordFile, withinMs: 100 }));
    for (const { status } of await Promise.allSettled(tries)) expect(status).toBe("rejected");
  });

  it("on another machine must offer TLS with a certificate that is trusted", async () => {
    const listen = (answer: string) =>
      listenLocally((socket) => socket.once("data", () => socket.write(answer)));
    // A name of this machine that is not taken for it.
    const host = "0.0.0.0";
    await expect(connectTo({ host, port: await listen("N") }, undefined)).rejects.toThrow(
      "does not offer TLS",
    );
    await expect(connectTo({ host, port: await listen("Snonsense") }, undefined)).rejects.toThrow(host);
  });

  it("on another machine is asked over TLS, and only with a certificate that is trusted", async () => {
    const server = await Cluster.start({ hasTls: true });
    onTestFinished(() => server.stop());
    // This machine by an address that is not taken for it.
    const url = server.url(await server.database()).replace("127.0.0.1", "0.0.0.0");
    await expect(connectInVain({ url })).rejects.toThrow(/self.signed certificate/);
    expect(await connect({ url, caFile: join(server.folder, "cert.pem") })).toBe("connected");
    const local = url.replace("0.0.0.0", "127.0.0.1");
    const caFile = join((await cluster()).folder, "password");
    await expect(connectInVain({ url, caFile })).rejects.toThrow(/certificate/);
    expect(await connect({ url: local })).toBe("connected");
  });

  it("of an earlier version gets the settings format of this one, so that the earlier version refuses it", async () => {
    const server = await cluster();
    const name = await server.database();
    await connect({ url: server.url(name) });
    await server.sql("UPDATE meta SET settings_format = 1", name);
    await connect({ url: server.url(name) });
    expect(await server.sql("SELECT settings_format AS format FROM meta", name)).toEqual([
      { format: settingsFormat },
    ]);
  });

  it("is made once by servers that start at the same time", async () => {
    const server = await cluster();
    const url = server.url(await server.database());
    expect(await Promise.all([1, 2, 3, 4].map(() => connect({ url })))).toHaveLength(4);
  });
});
