/** Clones whose clients stop reading, and the git that works for them. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { flushPacket, toPacket } from "../../../src/git/serve/pkt-line.ts";
import { eventually } from "../eventually.ts";
import { git } from "../process.ts";
import { realFolder } from "../storage.ts";

export const uploadPackPath = "/hives/web.git/git-upload-pack";
export const uploadPackType = "application/x-git-upload-pack-request";
export const delimiter = Buffer.from("0001");

/** A request for objects in version 2 of git's protocol. */
export function fetchOf(...lines: readonly string[]): Buffer {
  const asked = [...lines, "done\n"].map(toPacket);
  return Buffer.concat([toPacket("command=fetch\n"), delimiter, ...asked, flushPacket]);
}

/** A request for all that main has. */
export async function wantMain(repo: string): Promise<Buffer> {
  const main = (await git(repo, "rev-parse", "main")).trim();
  return fetchOf(`want ${main}\n`);
}

/** A commit on main with a file that does not fit into the buffers on the way to a client. */
export async function addLargeFile(repo: string, bytes = 40_000_000): Promise<void> {
  const file = join(realFolder(), "large");
  writeFileSync(file, randomBytes(bytes));
  // Compressing it would take longer than the tests, and it cannot be compressed.
  const fast = ["-c", "core.compression=0", "-c", "core.fsync=none"];
  const blob = (await git(repo, ...fast, "hash-object", "-w", file)).trim();
  const index = join(realFolder(), "index");
  const lines = `${await git(repo, "ls-tree", "main")}100644 blob ${blob}\tlarge\n`;
  writeFileSync(index, lines);
  const tree = (await git(repo, "-c", `alias.made=!git mktree < ${index}`, "made")).trim();
  const commit = (await git(repo, "commit-tree", "-p", "main", "-m", "Large", tree)).trim();
  await git(repo, "update-ref", "refs/heads/main", commit);
}

/** A client that sends its request and then reads a first piece of the answer, and no more. */
export async function stalledClone(url: string, token: string, repo: string): Promise<Socket> {
  const body = await wantMain(repo);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST ${uploadPackPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${uploadPackType}\r\nGit-Protocol: version=2\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  await once(socket, "readable");
  expect(String(socket.read(12))).toBe("HTTP/1.1 200");
  await eventually(() => expect(workersIn(repo)).not.toEqual([]));
  return socket;
}

/** The processes that work in a folder, as Linux tells. */
export function workersIn(folder: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder;
      } catch {
        // It has ended, or is somebody else's.
        return false;
      }
    })
    .map(Number);
}
