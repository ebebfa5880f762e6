import { expect, it, vi } from "vitest";
import { once } from "../src/on-demand.ts";

it("a result is kept, and a failure is not", async () => {
  const make = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error("no memory"))
    .mockResolvedValue("made");
  const get = once(make);
  await expect(get()).rejects.toThrow("no memory");
  expect(await Promise.all([get(), get()])).toEqual(["made", "made"]);
  expect(make).toHaveBeenCalledTimes(2);
});
