/** The worker with a git and a clock of the test's own: nothing sleeps, nothing is pushed. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { PushOutcome } from "../../../src/domain/hives/mirror.ts";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { createHive, deleteHive } from "../../../src/service/admin/hives.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { addMirror, listMirrors, pushNow, removeMirror } from "../../../src/service/admin/mirrors.ts";
import { createMetrics } from "../../../src/observability/metrics.ts";
import type { HiveWorker } from "../../../src/service/operations/hive-worker.ts";
import { mirrorWorker } from "../../../src/service/operations/mirror-worker.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { verify } from "../../../src/service/operations/verify.ts";
import type { Disk } from "../../../src/disk/disk.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import type { Push } from "../../../src/git/process/git-push.ts";
import { Clock } from "../../helpers/events/clock.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  memoryDisk,
  memoryFolder,
  memoryStorage,
  byCommand,
  runBeforeRename,
  type Call,
} from "../../helpers/storage.ts";

const web = toHiveSlug("web");
const remote = toMirrorUrl("ssh://git@example.org/web.git");
const shown = "ssh://example.org/web.git";
const failed: PushOutcome = { kind: "failed", error: "it is down" };
const rejected: PushOutcome = { kind: "rejected", error: "main was rejected (fetch first)" };

let clock: Clock;
let disk: Disk;
let folder: string;
let storage: Storage;
let call: Call;
let pushes: Push[];
let answer: (push: Push) => PushOutcome | Promise<PushOutcome>;
let logged: Record<string, unknown>[];
const { post } = hiveAt(() => call);

const open = (): Storage =>
  memoryStorage({
    disk,
    folder,
    now: clock.now,
    git: {
      push: async (push) => {
        pushes.push(push);
        return answer(push);
      },
    },
  });
const startWorker = (on = storage): HiveWorker => {
  const log = { error: (fields: object, message: string) => void logged.push({ ...fields, message }) };
  const worker = mirrorWorker({ storage: on, log, after: clock.after, random: () => 1 });
  worker.start();
  return worker;
};
const commit = async (text: string): Promise<void> => {
  const reply = await post({ "a.php": { a: text } });
  expect(reply.status).toBe(200);
};
const head = async (): Promise<string> => (await storage.hives.pushableRefs(web)).main;
const listed = async () => (await listMirrors(open()))[0];

beforeEach(async () => {
  clock = new Clock();
  disk = memoryDisk();
  folder = memoryFolder();
  pushes = [];
  logged = [];
  answer = () => ({ kind: "pushed" });
  storage = open();
  await makeHive(storage, "web");
  ({ call } = harness(storage, await makeToken(storage)));
});

describe("a mirror that was added", () => {
  it("an added mirror gets what exists, then each commit, many commits at once, and nothing without reason", async () => {
    await addMirror(storage, web, remote);
    expect(await listed()).toMatchObject({ slug: "web", url: shown, status: "waiting" });
    const worker = startWorker();
    await clock.advance(5_000, worker);
    expect(pushes.map(({ url, commit }) => ({ url, commit }))).toEqual([
      { url: remote, commit: await head() },
    ]);
    expect(await listed()).toMatchObject({ status: "pushed", state: { pushed: { commit: await head() } } });
    for (const text of ["A", "B", "C"]) await commit(text);
    await clock.advance(999, worker);
    expect(pushes).toHaveLength(1);
    await clock.advance(500, worker);
    expect(pushes.map((push) => push.commit).slice(1)).toEqual([await head()]);
    await clock.advance(600_000, worker);
    expect(pushes).toHaveLength(2);
    await worker.stop();
  });

  it("an added mirror is pushed to while commits go on and on", async () => {
    await addMirror(storage, web, remote);
    const worker = startWorker();
    await clock.advance(5_000, worker);
    for (let i = 0; i < 30; i++) {
      await commit(`text ${i}`);
      await clock.advance(500, worker);
    }
    expect(pushes.length).toBe(2);
    await worker.stop();
  });

  it("mirrors added by another process, and its commits and tags, are noticed", async () => {
    const worker = startWorker();
    await clock.advance(5_000, worker);
    const other = open();
    await addMirror(other, web, remote);
    await clock.advance(5_000, worker);
    expect(pushes).toHaveLength(1);
    ({ call } = harness(other, await makeToken(other)));
    await commit("from elsewhere");
    await clock.advance(5_000, worker);
    expect(pushes).toHaveLength(2);
    const tag = join(storage.hives.folderOf(web), "refs/tags/v1");
    await new DurableFs(disk).write(tag, `${await head()}\n`);
    await clock.advance(5_000, worker);
    expect(pushes).toHaveLength(3);
    await worker.stop();
  });

  it("a mirror that gets all branches is pushed to when a branch changes, and another is not", async () => {
    const all = toMirrorUrl("https://example.org/all.git");
    await addMirror(storage, web, remote);
    await addMirror(storage, web, all, { branches: true });
    const worker = startWorker();
    await clock.advance(5_000, worker);
    expect(pushes.map(({ url, branches }) => ({ url, branches }))).toEqual([
      { url: remote, branches: false },
      { url: all, branches: true },
    ]);
    const path = "/api/hives/web/branches";
    const settled = async (): Promise<readonly string[]> => {
      const before = pushes.length;
      await clock.advance(5_000, worker);
      await clock.advance(60_000, worker);
      return pushes.slice(before).map(({ url }) => url);
    };
    expect((await call("POST", path, { body: { name: "feature/login" } })).status).toBe(201);
    expect(await settled()).toEqual([all]);
    const reply = await post({ "a.php": { a: "On the branch" } }, { query: "branch=feature%2Flogin" });
    expect(reply.status).toBe(200);
    expect(await settled()).toEqual([all]);
    expect((await call("DELETE", `${path}/feature%2Flogin`)).status).toBeLessThan(300);
    expect(await settled()).toEqual([all]);
    await commit("On main");
    expect(await settled()).toEqual([remote, all]);
    await worker.stop();
  });

  it("a mirror that gets all branches loses those that Skep pushed and that are gone, after a restart, too", async () => {
    await addMirror(storage, web, remote, { branches: true });
    const path = "/api/hives/web/branches";
    const push = () => pushNow(open(), web, new AbortController().signal);
    for (const name of ["feature/login", "kept"]) await call("POST", path, { body: { name } });
    await push();
    await call("DELETE", `${path}/feature%2Flogin`);
    answer = () => failed;
    await push();
    answer = () => ({ kind: "pushed" });
    await push();
    await push();
    const gone = [{ name: "feature/login", commit: await head() }];
    expect(pushes.map((one) => one.gone)).toEqual([[], gone, gone, []]);
    for await (const { problem } of verify(open(), { repair: false })) expect.fail(problem);
  });

  it("a mirror whose file is changed by hand to all branches is pushed to again", async () => {
    await addMirror(storage, web, remote);
    await call("POST", "/api/hives/web/branches", { body: { name: "feature" } });
    await pushNow(storage, web, new AbortController().signal);
    expect(await listed()).toMatchObject({ status: "pushed" });
    const [fs, path] = [new DurableFs(disk), join(folder, "mirrors/web.yaml")];
    await fs.write(path, `${await fs.readText(path)}    branches: true\n`);
    expect(await listed()).toMatchObject({ status: "waiting", state: { mirror: { branches: true } } });
    await pushNow(open(), web, new AbortController().signal);
    expect(pushes.map(({ branches }) => branches)).toEqual([false, true]);
    expect(await listed()).toMatchObject({ status: "pushed" });
  });

  it("a removed mirror is skipped, and one that is added again starts anew", async () => {
    const worker = startWorker();
    await addMirror(storage, web, remote);
    await expect(addMirror(storage, web, remote)).rejects.toThrow("already");
    await clock.advance(5_000, worker);
    expect(await removeMirror(storage, web, shown)).toBe(1);
    await expect(removeMirror(storage, web, shown)).rejects.toThrow("no such mirror");
    await commit("unseen");
    await clock.advance(60_000, worker);
    expect(pushes).toHaveLength(1);
    expect(await listMirrors(storage)).toEqual([]);
    await addMirror(storage, web, remote);
    expect(await listed()).toMatchObject({ status: "waiting", state: { mirror: { url: remote } } });
    await clock.advance(5_000, worker);
    expect(pushes).toHaveLength(2);
    await worker.stop();
  });
});

describe("a remote that fails", () => {
  it("is retried after 2, 4, 8 … seconds, over restarts, and starts anew once it works", async () => {
    answer = () => failed;
    await addMirror(storage, web, remote);
    const first = startWorker();
    const times: number[] = [];
    answer = () => {
      times.push(clock.time);
      return failed;
    };
    await clock.advance(20_000, first);
    expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual([2_000, 4_000, 8_000]);
    expect(await listed()).toMatchObject({
      status: "failed",
      state: { failure: { error: "it is down", attempts: 4 } },
    });
    expect(logged[0]).toEqual({
      hive: "web",
      mirror: shown,
      kind: "failed",
      error: "it is down",
      attempts: 1,
      retry_at: expect.any(String),
      message: "could not push to a mirror",
    });
    await first.stop();
    const second = startWorker(open());
    // A commit does not hurry it.
    await commit("more");
    await clock.advance(5_000, second);
    expect(times).toHaveLength(4);
    answer = () => ({ kind: "pushed" });
    await clock.advance(20_000, second);
    expect(await listed()).toMatchObject({ status: "pushed", state: { pushed: { commit: await head() } } });
    expect((await listed())?.state?.failure).toBeUndefined();
    await second.stop();
  });

  it("is retried at least every half hour, and does not delay another mirror", async () => {
    const other = toMirrorUrl("https://example.org/other.git");
    await addMirror(storage, web, remote);
    await addMirror(storage, web, other);
    answer = ({ url }) => (url === remote ? failed : { kind: "pushed" });
    const worker = startWorker();
    await clock.advance(3 * 3_600_000, worker);
    expect(pushes.filter(({ url }) => url === other)).toHaveLength(1);
    const tries = pushes.filter(({ url }) => url === remote).length;
    expect(tries).toBeGreaterThan(12);
    expect(tries).toBeLessThan(18);
    await worker.stop();
  });
});

describe("a remote that rejects", () => {
  it("is skipped until the Hive moves, or is pushed by hand", async () => {
    answer = () => rejected;
    await addMirror(storage, web, remote);
    const worker = startWorker();
    await clock.advance(600_000, worker);
    expect(pushes).toHaveLength(1);
    expect((await listed())?.status).toBe("rejected");
    await commit("A");
    await clock.advance(600_000, worker);
    expect(pushes).toHaveLength(2);
    answer = () => ({ kind: "pushed" });
    const [report] = await pushNow(storage, web, new AbortController().signal);
    expect(report).toMatchObject({ url: shown, status: "pushed" });
    expect((await listed())?.status).toBe("pushed");
    await worker.stop();
  });
});

it("a missing git is reported once, and listed", async () => {
  answer = () => ({ kind: "no-git", error: "git is not installed" });
  await addMirror(storage, web, remote);
  const worker = startWorker();
  await clock.advance(600_000, worker);
  expect(pushes.length).toBeGreaterThan(3);
  expect(logged).toHaveLength(1);
  expect(await listed()).toMatchObject({
    status: "no-git",
    state: { failure: { error: "git is not installed" } },
  });
  await worker.stop();
});

it("two servers push one at a time, and do not repeat each other's work", async () => {
  const other = open();
  await addMirror(storage, web, remote);
  let running = 0;
  let most = 0;
  answer = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 30));
    running--;
    return { kind: "pushed" };
  };
  const workers = [startWorker(), startWorker(other)];
  for (const text of ["A", "B", "C"]) {
    await commit(text);
    await clock.advance(15_000, ...workers);
  }
  expect(most).toBe(1);
  expect(pushes).toHaveLength(3);
  expect((await listed())?.status).toBe("pushed");
  for (const worker of workers) await worker.stop();
});

it("a push that is under way when the server stops is stopped, and resumed by the next start", async () => {
  await addMirror(storage, web, remote);
  answer = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "stopped" })));
  const first = startWorker();
  const advancing = clock.advance(5_000, first);
  await expect.poll(() => pushes.length).toBe(1);
  await first.stop();
  await advancing;
  expect((await listed())?.state).toEqual({ mirror: { url: remote, added: expect.any(String) } });
  answer = () => ({ kind: "pushed" });
  const second = startWorker();
  await clock.advance(5_000, second);
  expect((await listed())?.status).toBe("pushed");
  await second.stop();
});

describe("a Hive that is deleted", () => {
  it("leaves no state of a push that ends meanwhile", async () => {
    await addMirror(storage, web, remote);
    runBeforeRename(disk, "mirrors/web.state.yaml", () => deleteHive(storage, web));
    const worker = startWorker();
    await clock.advance(5_000, worker);
    expect(await new DurableFs(disk).list(join(folder, "mirrors"))).toEqual([]);
  });

  it("loses its mirrors, so that another of its slug is pushed nowhere", async () => {
    await addMirror(storage, web, remote);
    const worker = startWorker();
    await clock.advance(5_000, worker);
    const fs = new DurableFs(disk);
    const before = await fs.read(join(folder, "mirrors/web.yaml"));
    await deleteHive(storage, web);
    expect(await fs.list(join(folder, "mirrors"))).toEqual([]);
    // What a crash in the midst of that leaves is disabled, named, and cannot come back.
    await fs.write(join(folder, "mirrors/web.yaml"), before ?? "");
    await clock.advance(60_000, worker);
    expect(pushes).toHaveLength(1);
    expect(await listMirrors(storage)).toEqual([]);
    const hive = { slug: web, team: toTeamName("acme"), sourceLocale: toLocale("en"), targetLocales: [] };
    await createHive(storage, hive, byCommand);
    await clock.advance(60_000, worker);
    expect(pushes).toHaveLength(1);
    await worker.stop();
  });
});

describe("skep server verify", () => {
  const found = async (repair = false) => {
    const all: string[] = [];
    for await (const { problem, repaired } of verify(open(), { repair })) {
      all.push(repaired === undefined ? problem : `${problem} — ${repaired}`);
    }
    return all;
  };

  it("takes mirrors and their states for normal", async () => {
    await addMirror(storage, web, remote);
    answer = () => failed;
    await pushNow(storage, web, new AbortController().signal);
    expect(await new DurableFs(disk).list(join(folder, "mirrors"))).toEqual(["web.state.yaml", "web.yaml"]);
    expect(await found()).toEqual([]);
  });

  it("names files that cannot be read, belong to no Hive or are none, and removes those of no Hive", async () => {
    const fs = new DurableFs(disk);
    for (const name of ["web.yaml", "web.state.yaml", "gone.yaml", "notes.txt"]) {
      await fs.makeFolder(join(folder, "mirrors"));
      await fs.write(join(folder, "mirrors", name), name === "gone.yaml" ? "mirrors: []\n" : "mirrors: 7\n");
    }
    const problems = [
      "mirrors/gone.yaml belongs to no Hive",
      "mirrors/notes.txt is not a settings file",
      "The settings file mirrors/web.state.yaml is invalid: states: Invalid input: expected array, received undefined.",
      "The settings file mirrors/web.yaml is invalid: mirrors: Invalid input: expected array, received number.",
    ];
    expect((await found()).toSorted()).toEqual(problems.toSorted());
    expect(await found(true)).toContain("mirrors/gone.yaml belongs to no Hive — removed it");
    expect((await found()).toSorted()).toEqual(problems.slice(1).toSorted());
  });
});

it("an unreadable file of mirrors is reported once a minute, and does not affect other Hives", async () => {
  await makeHive(storage, "app");
  await addMirror(storage, toHiveSlug("app"), remote);
  await new DurableFs(disk).write(join(folder, "mirrors/web.yaml"), "{");
  const worker = startWorker();
  await clock.advance(59_000, worker);
  expect(pushes).toHaveLength(1);
  expect(logged.map(({ hive, message }) => [hive, message])).toEqual([["web", "could not push a Hive"]]);
  await worker.stop();
});

it("pushes are counted by their outcome, and mirrors by their status", async () => {
  const metrics = createMetrics();
  metrics.watchStorage(storage);
  await addMirror(storage, web, remote);
  const counts = async (): Promise<string[]> => {
    const lines = (await metrics.text()).split("\n");
    return lines.filter((line) => /^skep_mirror(s|_pushes_total)\{.* [^0]/.test(line)).toSorted();
  };
  expect(await counts()).toEqual(['skep_mirrors{state="waiting"} 1']);
  const log = { error: () => {} };
  const worker = mirrorWorker({
    storage,
    log,
    after: clock.after,
    random: () => 1,
    pushed: metrics.pushed,
  });
  answer = () => ({ kind: "failed", error: "no" });
  worker.start();
  await clock.advance(1_500, worker);
  expect(await counts()).toEqual([
    'skep_mirror_pushes_total{result="failed"} 1',
    'skep_mirrors{state="failed"} 1',
  ]);
  answer = () => ({ kind: "pushed" });
  await clock.advance(5_000, worker);
  await worker.stop();
  expect(await counts()).toEqual([
    'skep_mirror_pushes_total{result="failed"} 1',
    'skep_mirror_pushes_total{result="pushed"} 1',
    'skep_mirrors{state="pushed"} 1',
  ]);
});
