/** Writes a ZIP archive (APPNOTE 6.3.9) of texts: deflated files whose names are in UTF-8, without what is beyond 4 GiB. */
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

const deflated = promisify(deflateRaw);

/** The signatures of the records, as little-endian numbers. */
const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endRecord = 0x06054b50;
/** The version that deflated files need, and the flag of names in UTF-8. */
const version = 20;
const utf8Names = 0x0800;
const deflateMethod = 8;
/** 1 January 1980, the first day that there is: equal files make equal archives. */
const day = 0x21;

/** The fields of a record: numbers of two or four bytes. */
function fieldsOf(...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

/**
 * Makes an archive.
 * @param files their names with slashes, and their texts, which are read one after the other.
 */
export async function zipOf(files: AsyncIterable<readonly [name: string, content: Buffer]>): Promise<Buffer> {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for await (const [name, content] of files) {
    const packed = await deflated(content);
    const path = Buffer.from(name);
    const about = fieldsOf(
      [2, version],
      [2, utf8Names],
      [2, deflateMethod],
      [2, 0],
      [2, day],
      [4, crc32(content)],
      [4, packed.length],
      [4, content.length],
      [2, path.length],
      [2, 0],
    );
    const rest = fieldsOf([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    entries.push(fieldsOf([4, centralHeader], [2, version]), about, rest, path);
    parts.push(fieldsOf([4, localHeader]), about, path, packed);
    offset += about.length + 4 + path.length + packed.length;
  }
  const directory = Buffer.concat(entries);
  const count = entries.length / 4;
  const end = fieldsOf(
    [4, endRecord],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directory.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, directory, end]);
}
