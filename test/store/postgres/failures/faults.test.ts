/** What a database says by its codes of errors: to callers, to checks of health, in the log; and what is tried again. */
import { describe, expect, it } from "vitest";
import { openStorage } from "../../../../src/service/storage.ts";
import { outOfTimeBetween } from "../../../helpers/limits/held-time.ts";
import { cluster, isMissing } from "../../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken } from "../../../helpers/storage.ts";

/** Each code, what a write is answered, and whether it is tried again until its time is over. */
const codes = [
  ["53100", 507, "disk_full", "The database has no room left on its disk.", false],
  ["53200", 503, "record_unavailable", "The database has no memory left.", true],
  ["53300", 503, "record_unavailable", "The database has no connection left for this server.", true],
  ["53400", 503, "record_unavailable", "The database lacks resources.", true],
  ["57P01", 503, "record_unavailable", "The database is stopping.", true],
  ["57P03", 503, "record_unavailable", "The database is starting or stopping.", true],
  ["25006", 503, "record_unavailable", "The database can only be read.", true],
  ["28000", 503, "record_unavailable", "The database refuses the user of this server.", false],
  ["28P01", 503, "record_unavailable", "The database refuses the password of this server.", false],
  ["3D000", 503, "record_unavailable", "The database server has no such database.", false],
  ["42501", 503, "record_unavailable", "The database gives this server too few rights.", false],
] as const;

describe.skipIf(isMissing())("a database that refuses changes", () => {
  it.each(codes)("with %s", async (sqlstate, status, code, message, isRepeated) => {
    const { name, prepare } = await testDatabase(60_000, false);
    const storage = openStorage((await prepare()).options);
    await makeHive(storage, "web", { locales: [] });
    const { call, logged, post } = harness(storage, await makeToken(storage));
    const write = (key: string) => post({ "a.php": { [key]: "x" } });
    const server = await cluster();
    await server.sql("CREATE SEQUENCE tries", name);
    await server.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM nextval('tries'); RAISE EXCEPTION 'refused' USING ERRCODE = '${sqlstate}'; END $$`,
      name,
    );
    await server.sql(
      `DO $$ DECLARE one record; BEGIN FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
         EXECUTE format('CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION refuse()', one.tablename);
       END LOOP; END $$`,
      name,
    );

    const countTries = async () => {
      const [{ tries } = { tries: 0 }] = await server.sql("SELECT last_value::int AS tries FROM tries", name);
      return Number(tries);
    };
    for (const key of ["a", "b"]) {
      const start = await countTries();
      // No time passes before the third try.
      const triedAgain = async (over: AbortSignal): Promise<void> => {
        const before = Math.max(await countTries(), start + 2);
        while (!over.aborted && (await countTries()) <= before);
      };
      // A sixth of the time that the database is waited for. Faster, its limit would be over before a try is answered.
      const answer = await (isRepeated ? outOfTimeBetween(() => write(key), triedAgain, 10_000) : write(key));
      expect([answer.status, answer.json.code, answer.json.message]).toEqual([status, code, message]);
      if (isRepeated) expect(await countTries()).toBeGreaterThan(start + 2);
    }
    const told = logged.filter((line) => String(line.message).includes(message));
    // Once a minute, which passes between the two requests only where they are tried again, and not on each machine.
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(isRepeated ? 2 : 1);
    expect(told[0]).toMatchObject({ error: expect.stringContaining("refused") });
    const isFull = sqlstate === "53100";
    const ready = await call("GET", "/readyz");
    expect([ready.status, ready.json?.message]).toEqual(isFull ? [503, message] : [200, undefined]);

    await server.sql(
      `DO $$ DECLARE one record; BEGIN FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
         EXECUTE format('DROP TRIGGER refuse ON %I', one.tablename); END LOOP; END $$`,
      name,
    );
    expect((await write("c")).status).toBe(200);
  });
});
