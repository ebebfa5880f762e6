import { expect, it } from "vitest";
import { clearModuleCaches, moduleCache, WeakCache } from "../src/module-caches.ts";

it("caches of modules are emptied all at once", () => {
  const key = {};
  const [weak, strong] = [
    moduleCache(new WeakCache<object, string>()),
    moduleCache(new Map<string, string>()),
  ];
  weak.set(key, "a");
  strong.set("key", "b");
  expect([weak.get(key), strong.get("key")]).toEqual(["a", "b"]);
  clearModuleCaches();
  expect([weak.get(key), strong.get("key")]).toEqual([undefined, undefined]);
});
