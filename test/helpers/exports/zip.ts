/** Writes ZIP files, also such as no program should read. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  readonly path: string;
  readonly content: Uint8Array | string;
  /** What the list says of the entry, where that is not the truth. */
  readonly claims?: {
    readonly size?: number;
    readonly crc?: number;
    readonly mode?: number;
    readonly flags?: number;
  };
}

/** A ZIP file of entries, deflated. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { path, content, claims = {} } of entries) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const { size = bytes.length, crc = crc32(bytes), mode = 0o100644, flags = 0x0800 } = claims;
    // Version, flags, method, time, date, checksum, sizes and the length of the name stand alike in both headers.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0003", "latin1"), common, rest, name]));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, directory, Buffer.from("PK\u0005\u0006", "latin1"), end]);
}

/** A ZIP file of texts by their paths. */
export function zipOfTexts(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  return zipOf(Object.entries(files).map(([path, content]) => ({ path, content })));
}
