/** Bodies whose parts take more memory than their bytes. */
import { mockEvent } from "h3";
import { expect, it } from "vitest";
import { readJsonBody } from "../../src/http/requests/body.ts";

it("a body that comes byte by byte is not kept as a list of its parts", async () => {
  const text = `{"files":{"a.php":{"key":"${"x".repeat(10_000)}"}}}`;
  const letters = Buffer.from(text);
  // Each part is the same piece of memory: whoever kept parts would have the last one many times.
  const part = Buffer.alloc(1);
  let next = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const letter = letters[next++];
        if (letter === undefined) return controller.close();
        part[0] = letter;
        controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "application/json" };
  const event = mockEvent(new Request("http://x/", { method: "POST", headers, body, duplex: "half" }));
  let taken = 0;
  const share = { take: (bytes: number) => void (taken += bytes), release: () => {} };
  expect((await readJsonBody(event, 1_000_000, share)).toString()).toBe(text);
  expect(taken).toBeGreaterThanOrEqual(text.length);
  expect(taken).toBeLessThanOrEqual(2 * text.length);
});
