/** Reads what a picture is from its first bytes. Nothing is decoded: what is broken further on is for who looks at it. */

export const imageTypes = ["png", "webp", "jpeg"] as const;
export type ImageType = (typeof imageTypes)[number];

export interface ImageHeader {
  readonly type: ImageType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** @returns undefined for what is none of these types, or does not say its size. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readPng(view) ?? readWebp(view) ?? readJpeg(view);
  } catch (cause) {
    // It ends before it says its size.
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

function readPng(view: DataView): ImageHeader | undefined {
  const isPng = view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a;
  if (!isPng || view.getUint32(12) !== codeOf("IHDR")) return undefined;
  return { type: "png", width: view.getUint32(16), height: view.getUint32(20) };
}

function readWebp(view: DataView): ImageHeader | undefined {
  if (view.getUint32(0) !== codeOf("RIFF") || view.getUint32(8) !== codeOf("WEBP")) return undefined;
  const chunk = view.getUint32(12);
  if (chunk === codeOf("VP8X")) {
    const size = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
    return { type: "webp", width: size(24), height: size(27) };
  }
  if (chunk === codeOf("VP8L") && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { type: "webp", width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk !== codeOf("VP8 ") || view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a)
    return undefined;
  return {
    type: "webp",
    width: view.getUint16(26, true) & 0x3fff,
    height: view.getUint16(28, true) & 0x3fff,
  };
}

/** The segment that begins a frame says the size; others are passed over by their lengths. */
function readJpeg(view: DataView): ImageHeader | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { type: "jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Bytes that fill the space between segments.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function codeOf(letters: string): number {
  return Buffer.from(letters, "latin1").readUInt32BE();
}
