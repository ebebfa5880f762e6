/** Packs in a database: uploaded and downloaded in parts, and put into repositories. */
import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { DurableFs } from "../../disk/durable-fs.ts";
import { BareRepo } from "../../git/bare-repo.ts";
import { toGitObject, type GitObject } from "../../git/objects/git-object.ts";
import { streamGit } from "../../git/process/git-stream.ts";
import { startGit } from "../../git/process/installed-git.ts";
import type { Database } from "./database.ts";
import { textArray, type Sql } from "./session.ts";
import { packHeader } from "../../git/packs/pack-writer.ts";
import { readHeader, unpack } from "../../git/serve/check-pack.ts";

/** A pack as the database has it. */
export interface StoredPack {
  readonly id: string;
  readonly parts: number;
  readonly bytes: number;
  readonly objects: number;
  readonly sha256: string;
  /** Its bytes, where they were read already. */
  readonly data?: Buffer | undefined;
}

/** Runs statements that read packs: in any transaction, since packs never change. */
export type PartReader = Pick<Database, "query">;

const partBytes = 8 * 1024 * 1024;
/** How much of a part is downloaded at once. */
const pieceBytes = 512 * 1024;
/** A pack that is not larger is uploaded with its change. */
const inlineBytes = 1024 * 1024;
/** How long the upload or download of one part may take. */
const partMs = 60_000;
/** How many packs are read by one statement. */
const packsAtOnce = 500;
const headerBytes = 12;
const trailerBytes = 20;
/** Packs up to this size are unpacked here into loose objects, which is faster than starting git. */
const looseBytes = 64 * 1024;

/**
 * Uploads the parts of a pack. Its row, and the only part of a small pack, are left to {@link insertPack}.
 * @returns undefined for a pack without objects.
 */
export async function uploadPack(
  database: Database,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<StoredPack | undefined> {
  const id = randomUUID();
  const sum = createHash("sha256");
  let [parts, bytes, objects] = [0, 0, 0];
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    const data = Buffer.concat(waiting);
    if (parts === 0) objects = data.readUInt32BE(8);
    [waiting, waitingBytes] = [[], 0];
    const n = parts++;
    await database.transaction((sql) => insertPart(sql, id, n, data), {
      withinMs: partMs,
      awayMs: database.withinMs,
    });
  };
  for await (const piece of pieces) {
    sum.update(piece);
    bytes += piece.byteLength;
    for (let at = 0; at < piece.byteLength; at += partBytes) {
      const slice = piece.subarray(at, at + partBytes);
      if (waitingBytes + slice.byteLength > partBytes) await flush();
      waiting.push(slice);
      waitingBytes += slice.byteLength;
    }
  }
  const sha256 = sum.digest("hex");
  if (parts === 0 && bytes <= inlineBytes) {
    const data = Buffer.concat(waiting);
    objects = data.readUInt32BE(8);
    return objects === 0 ? undefined : { id, parts: 1, bytes, objects, sha256, data };
  }
  await flush();
  return { id, parts, bytes, objects, sha256 };
}

/** Has git pack the objects of some revisions, and uploads the pack as {@link uploadPack} does. */
export async function packRevisions(
  database: Database,
  gitdir: string,
  revisions: readonly string[],
): Promise<StoredPack | undefined> {
  const args = ["pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q"];
  const pieces = await streamGit(gitdir, args, revisions);
  if (pieces === undefined) throw new Error("a database as the record needs git, which is not installed");
  return uploadPack(database, pieces);
}

function insertPart(sql: Sql, pack: string, n: number, data: Buffer): Promise<unknown> {
  return sql`INSERT INTO part VALUES (${pack}, ${n}, ${data}, clock_timestamp())`.execute();
}

/** Inserts the row of a pack, and its part if that was not uploaded, in the transaction of its change. */
export function insertPack(sql: Sql, pack: StoredPack): readonly Promise<unknown>[] {
  const { id, parts, bytes, objects, sha256, data } = pack;
  const row = sql`INSERT INTO pack VALUES (${id}, ${parts}, ${bytes}, ${objects}, ${sha256})`.execute();
  return data === undefined ? [row] : [row, insertPart(sql, id, 0, data)];
}

/** The pack lacks a part, or its bytes are not the uploaded ones. */
export class UnreadablePack extends Error {}

/** The bytes of a pack. @throws UnreadablePack. */
export async function* download(database: PartReader, pack: StoredPack): AsyncGenerator<Uint8Array> {
  const sum = createHash("sha256");
  for await (const data of pack.data === undefined ? readPieces(database, pack) : [pack.data]) {
    sum.update(data);
    yield data;
  }
  if (sum.digest("hex") !== pack.sha256)
    throw new UnreadablePack(`the pack ${pack.id} in the database is damaged`);
}

/** Reads a pack in pieces. The next piece is requested before the caller works on a piece. */
async function* readPieces(database: PartReader, { id, parts }: StoredPack): AsyncGenerator<Uint8Array> {
  for (let [n, at, next] = [0, 0, readPiece(database, id, 0, 0)]; n < parts;) {
    const data = await next;
    if (at === 0 && data.byteLength === 0)
      throw new UnreadablePack(`the pack ${id} in the database lacks its part ${n}`);
    [n, at] = data.byteLength < pieceBytes ? [n + 1, 0] : [n, at + pieceBytes];
    if (n < parts) next = readPiece(database, id, n, at);
    next.catch(() => undefined);
    yield data;
  }
}

/** A piece of a part; empty where the part is missing, or ends before it. */
async function readPiece(database: PartReader, pack: string, n: number, at: number): Promise<Buffer> {
  const [row] = await database.query(
    (sql) => sql<{ data: Buffer }[]>`
      SELECT substring(data FROM ${at + 1}::integer FOR ${pieceBytes}::integer) AS data FROM part
      WHERE pack = ${pack} AND n = ${n}`,
    partMs,
  );
  return row?.data ?? Buffer.alloc(0);
}

/** Packs in their order, with the bytes of small packs: one statement reads many of them. */
async function* withData(database: PartReader, packs: readonly StoredPack[]): AsyncGenerator<StoredPack> {
  for (let at = 0; at < packs.length;) {
    const together: StoredPack[] = [];
    for (let bytes = 0; at < packs.length && together.length < packsAtOnce; at++) {
      const pack = packs[at];
      bytes += pack?.bytes ?? 0;
      if (pack === undefined || (bytes > partBytes && together.length > 0)) break;
      together.push(pack);
    }
    const small = together.filter(({ parts, data }) => parts === 1 && data === undefined).map(({ id }) => id);
    const found = small.length < 2 ? undefined : await readParts(database, small);
    for (const pack of together) yield { ...pack, data: pack.data ?? found?.get(pack.id) };
  }
}

async function readParts(
  database: PartReader,
  packs: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await database.query(
    (sql) => sql<{ pack: string; data: Buffer }[]>`
      SELECT pack, data FROM part WHERE pack = ANY(${textArray(packs)}::uuid[])`,
    partMs,
  );
  return new Map(rows.map(({ pack, data }) => [pack, data]));
}

/**
 * Several packs as one: what lies between header and checksum of each stays as it is, since objects that are stored as
 * differences name others by their distance or by name.
 */
async function* joined(database: PartReader, packs: readonly StoredPack[]): AsyncGenerator<Uint8Array> {
  const header = packHeader(packs.reduce((count, { objects }) => count + objects, 0));
  const sum = createHash("sha1").update(header);
  yield header;
  for await (const pack of withData(database, packs)) {
    let [left, end] = [headerBytes, Buffer.alloc(0)];
    for await (const bytes of download(database, pack)) {
      const rest = bytes.subarray(Math.min(left, bytes.byteLength));
      left -= bytes.byteLength - rest.byteLength;
      const all = Buffer.concat([end, rest]);
      const content = all.subarray(0, Math.max(0, all.byteLength - trailerBytes));
      end = all.subarray(content.byteLength);
      sum.update(content);
      yield content;
    }
  }
  yield sum.digest();
}

/** Puts the objects of packs into a repository. @throws Error when a pack is damaged, or git is not installed. */
export async function storePacks(
  { fs, database }: { readonly fs: DurableFs; readonly database: PartReader },
  gitdir: string,
  packs: readonly StoredPack[],
): Promise<void> {
  if (packs.length === 0) return;
  const plain = await readPlain(database, packs);
  if (plain !== undefined) return new BareRepo(fs, gitdir).writeObjects(plain);
  const args = ["-c", "core.fsync=none", "index-pack", "--stdin", "--fix-thin"];
  const git = await startGit(gitdir, args);
  if (git === undefined) throw new Error("a copy of a database needs git, which is not installed");
  git.stdout.resume();
  try {
    const pieces = Readable.from(joined(database, packs));
    // A git that ends early is noticed by its exit code.
    for await (const piece of pieces) {
      if (!git.stdin.write(piece))
        await Promise.race([new Promise((go) => git.stdin.once("drain", go)), git.ended]);
    }
    git.stdin.end();
    const { code, stderr } = await git.ended;
    if (code !== 0) throw new Error(`git index-pack ended with ${code}: ${stderr.slice(0, 1_000)}`);
  } finally {
    git.stop();
  }
}

/** The objects of small packs; undefined when they are too large, or some objects are stored as differences. */
async function readPlain(
  database: PartReader,
  packs: readonly StoredPack[],
): Promise<readonly GitObject[] | undefined> {
  if (packs.reduce((sum, { bytes }) => sum + bytes, 0) > looseBytes) return undefined;
  const objects: GitObject[] = [];
  for await (const pack of withData(database, packs)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of download(database, pack)) pieces.push(piece);
    const found = await plainObjects(Buffer.concat(pieces), pack.objects);
    if (found === undefined) return undefined;
    objects.push(...found);
  }
  return objects;
}

/** The objects of a pack; undefined when one is stored as a difference to another. */
async function plainObjects(pack: Buffer, count: number): Promise<readonly GitObject[] | undefined> {
  const objects: GitObject[] = [];
  const end = pack.byteLength - trailerBytes;
  for (let at = headerBytes; objects.length < count;) {
    const { type, size, start } = readHeader(pack, at, end);
    if (type === undefined) return undefined;
    const { content, used } = await unpack(pack.subarray(start, end), size);
    objects.push(toGitObject(type, content));
    at = start + used;
  }
  return objects;
}
