/** Small pictures, as far as a server looks at them. */

/** The beginning of a PNG of that size, and something that tells it from others. */
export function png(width: number, height: number, more = ""): Buffer {
  const header = Buffer.alloc(33);
  header.write("\x89PNG\r\n\x1a\n", "latin1");
  header.writeUInt32BE(13, 8);
  header.write("IHDR", 12, "latin1");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return Buffer.concat([header, Buffer.from(more)]);
}

/** A WebP of that size with lossless compression. */
export function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write("RIFF", 0, "latin1");
  bytes.write("WEBPVP8L", 8, "latin1");
  bytes.writeUInt8(0x2f, 20);
  bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  return bytes;
}

/** A JPEG of that size, with a comment before the frame. */
export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 4, 65, 65]), frame]);
}
