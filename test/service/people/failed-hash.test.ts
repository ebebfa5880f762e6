/** A hash that cannot be computed, for lack of memory for example. */
import { hash } from "@node-rs/argon2";
import { expect, it, vi } from "vitest";
import { isPassword } from "../../../src/service/people/sign-in.ts";

vi.mock("@node-rs/argon2", { spy: true });

it("fails one sign-in of an unknown person, and none after it", async () => {
  vi.mocked(hash).mockRejectedValueOnce(new Error("no memory"));
  await expect(isPassword(undefined, "a password")).rejects.toThrow("no memory");
  expect(await isPassword(undefined, "a password")).toBe(false);
});
