import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as nextImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { limitReads } from "../../src/http/server.ts";

function request(method: string): [IncomingMessage, ServerResponse] {
  const message = Object.assign(new IncomingMessage(new Socket()), { method });
  return [message, new ServerResponse(message)];
}

it("reads are answered in several ticks while a write is under way, in their order, and otherwise at once", async () => {
  const answered: string[] = [];
  const answer = limitReads(({ url = "" }) => void answered.push(url));
  const ask = (method: string, url: string): ServerResponse => {
    const [message, response] = request(method);
    answer(Object.assign(message, { url }), response);
    return response;
  };
  for (let i = 0; i < 100; i++) ask("GET", "before");
  expect(answered.splice(0)).toHaveLength(100);

  const write = ask("POST", "write");
  const reads = Array.from({ length: 20 }, (_, i) => String(i));
  for (const url of reads) ask("GET", url);
  expect(answered).toEqual(["write", ...reads.slice(0, 8)]);
  ask("PUT", "other").emit("close");
  expect(answered.at(-1)).toBe("other");
  await nextImmediate();
  expect(answered).toHaveLength(18);
  await nextImmediate();
  expect(answered.filter((url) => Number(url) >= 0)).toEqual(reads);

  await nextImmediate();
  write.emit("close");
  for (let i = 0; i < 100; i++) ask("GET", "after");
  expect(answered.filter((url) => url === "after")).toHaveLength(100);
});
