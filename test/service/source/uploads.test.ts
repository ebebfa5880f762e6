/** How much of a team waits in memory for its previews. */
import { expect, it } from "vitest";
import { authenticate, type Caller } from "../../../src/service/access.ts";
import { uploadsOf } from "../../../src/service/source/uploads.ts";
import type { FileUpload } from "../../../src/service/source/import-upload.ts";
import { makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";

const mebibyte = 1024 * 1024;
const upload = (size: number): FileUpload => ({
  kind: "source",
  file: { name: "en.json", bytes: new Uint8Array(size) },
  mode: "import",
  conflictStrategy: "keep",
});

it("is bounded, whoever of the team has sent it, and no other team waits for it", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "theirs", { team: "rival" });
  const caller = async (team?: string): Promise<Caller> =>
    authenticate(storage, await makeToken(storage, team === undefined ? {} : { team }));
  const [one, other, rival] = [await caller(), await caller(), await caller("rival")];
  const uploads = uploadsOf(storage);
  const first = uploads.put(one, upload(32 * mebibyte));
  const second = uploads.put(other, upload(32 * mebibyte));
  expect(() => uploads.put(other, upload(1))).toThrow(expect.objectContaining({ code: "busy" }));
  expect(uploads.put(rival, upload(1))).not.toBe("");
  // Nobody ends what somebody else has sent.
  uploads.drop(other, first);
  expect(uploads.get(one, first)).toBeDefined();
  uploads.drop(other, second);
  expect(uploads.put(other, upload(1))).not.toBe("");
});
