/** Compressed answers. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { appOn, setUpWeb } from "../../helpers/storage.ts";

let fetchWith: (headers: Record<string, string>) => Promise<Response>;

beforeEach(async () => {
  const { storage, token, post } = await setUpWeb();
  const texts = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key${i}`, `Text ${i}, é`]));
  await post({ "a.json": texts, "b.json": { b: "B" } });
  const { app } = appOn(storage);
  fetchWith = async (headers) =>
    app.fetch(
      new Request("http://localhost/api/hives/web/strings", {
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    );
});

async function bodyOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe("a read", () => {
  it.each([
    ["br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["gzip;q=0.1, br;q=0.9", "br", brotliDecompressSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
  ])("is compressed for a client that accepts %s", async (accepted, encoding, decompress) => {
    const plain = await bodyOf(await fetchWith({}));
    for (let i = 0; i < 2; i++) {
      const response = await fetchWith({ "accept-encoding": accepted });
      expect(response.headers.get("content-encoding")).toBe(encoding);
      const body = await bodyOf(response);
      expect(response.headers.get("content-length")).toBe(String(body.length));
      expect(body.length).toBeLessThan(plain.length / 2);
      expect(decompress(body)).toEqual(plain);
    }
  });

  it.each(["identity", "", "deflate", "br;q=0", "*;q=0, identity", "zstd, identity;q=0.5"])(
    "is not compressed for a client that accepts %j",
    async (accepted) => {
      const response = await fetchWith({ "accept-encoding": accepted });
      expect(response.headers.has("content-encoding")).toBe(false);
      expect(JSON.parse((await bodyOf(response)).toString()).data).toHaveLength(100);
    },
  );

  it("has one ETag in every encoding, and a Vary header", async () => {
    const plain = await fetchWith({});
    const etag = plain.headers.get("etag") ?? "";
    for (const encoding of ["br", "gzip", "identity"]) {
      const whole = await fetchWith({ "accept-encoding": encoding });
      expect(whole.headers.get("etag")).toBe(etag);
      expect(whole.headers.get("vary")).toBe("Accept-Encoding");
      const same = await fetchWith({ "accept-encoding": encoding, "if-none-match": etag });
      expect([same.status, same.headers.get("vary"), same.headers.get("etag")]).toEqual([
        304,
        "Accept-Encoding",
        etag,
      ]);
      expect(await bodyOf(same)).toHaveLength(0);
    }
  });
});
