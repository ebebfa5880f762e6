import { onTestFinished, expect, it, vi } from "vitest";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { openLocalStorage } from "../../../src/service/storage.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";
import { eventually } from "../../helpers/eventually.ts";
import { harness, makeHive, makeToken, memoryStorage, realFolder } from "../../helpers/storage.ts";

const web = toHiveSlug("web");

const write = async (on: Parameters<typeof harness>[0], token: string, text: string): Promise<void> => {
  const body = { files: { "a.php": { a: text } } };
  const { status } = await harness(on, token).call("POST", "/api/hives/web/strings", { body });
  expect(status).toBe(200);
};

it("listeners hear of a commit by this process before its response, and of none after their watch has ended", async () => {
  const storage = memoryStorage({ disk: memfsDisk() });
  await makeHive(storage, "web");
  const token = await makeToken(storage);
  const listener = vi.fn<() => void>();
  const stop = storage.changes.watchRefs(web, listener);
  await write(storage, token, "one");
  expect(listener).toHaveBeenCalled();
  stop();
  const before = listener.mock.calls.length;
  await write(storage, token, "two");
  expect(listener.mock.calls.length).toBe(before);
});

it("listeners hear of commits and changes of settings by another process", async () => {
  const folder = realFolder();
  const [here, other] = [openLocalStorage(folder), openLocalStorage(folder)];
  await other.registry.version.create();
  await makeHive(other, "web");
  const token = await makeToken(other);
  const seen = { main: "", branches: 0, tokens: 0 };
  const stops = [
    here.changes.watchRefs(web, () => {
      seen.main = here.hives.at(web).head();
      void here.hives
        .at(web)
        .branches.list()
        .then(({ size }) => (seen.branches = size));
    }),
    here.changes.watchSettings(() => {
      void here.registry.tokensOf(toTeamName("acme")).then(({ length }) => (seen.tokens = length));
    }),
  ];
  onTestFinished(() => {
    for (const stop of stops) stop();
  });
  await eventually(() => expect(seen).toMatchObject({ main: here.hives.at(web).head(), tokens: 1 }));
  for (const text of ["one", "two", "three"]) {
    await write(other, token, text);
    await eventually(() => expect(seen.main).toBe(other.hives.at(web).head()));
  }
  const { call } = harness(other, token);
  await call("POST", "/api/hives/web/branches", { body: { name: "deep/branch" } });
  await eventually(() => expect(seen.branches).toBe(2));
  const [only] = await other.registry.tokens();
  if (only === undefined) throw new Error("no token");
  await revokeToken(other, only.id);
  await eventually(() => expect(seen.tokens).toBe(0));
});

it("a commit that another process announces reaches watchers and subscribers, as a commit by another process", async () => {
  const storage = memoryStorage({ disk: memfsDisk() });
  await makeHive(storage, "web");
  const token = await makeToken(storage);
  const listener = vi.fn<(slug: string, by: string) => void>();
  const watching = vi.fn<() => void>();
  const stops = [storage.onCommit(listener), storage.changes.watchRefs(web, watching)];
  storage.notifyCommit(web);
  expect([listener.mock.calls, watching.mock.calls.length]).toEqual([[["web", "another"]], 1]);
  await write(storage, token, "one");
  expect(listener.mock.calls.at(-1)).toEqual(["web", "this"]);
  for (const stop of stops) stop();
  storage.notifyCommit(web);
  expect(listener).toHaveBeenCalledTimes(2);
});
