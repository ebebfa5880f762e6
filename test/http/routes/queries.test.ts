/** Query parameters: those that an endpoint does not know are refused wherever a token is asked for. */
import { describe, expect, it } from "vitest";
import { routes } from "../../../src/http/app.ts";
import { setUpWeb } from "../../helpers/storage.ts";

const behindToken = routes.filter(({ kind }) => kind !== "open");

describe("a query parameter that is not known", () => {
  it.each(behindToken)("is refused by $method $path, given once or twice", async (route) => {
    const { method, path, kind, takesBranch = false } = route;
    const { storage, call } = await setUpWeb({ token: { abilities: ["admin"] } });
    // Every parameter of a path is `fr` here, and a missing branch would be the first fault.
    await call("POST", "/api/hives/web/branches", { body: { name: "fr" } });
    const address = path.replace(":slug", "web").replaceAll(/:\w+/g, "fr");
    for (const query of ["local=ru", "local=ru&local=fr"]) {
      const { status, json } = await call(method, `${address}?${query}`);
      expect(status).toBe(422);
      expect(json.errors.local[0]).toContain("local: is not a known query parameter here");
      const [, known = ""] = json.errors.local[0].split("; known: ");
      const names = [...Object.keys(route.query?.shape ?? {}), takesBranch && "branch"];
      if (kind === "hive-read") names.push("min_commit");
      expect(known).toBe(names.filter(Boolean).join(", ") || "none");
    }
    expect((await storage.registry.teams()).map(({ hives }) => hives)).toEqual([["web"]]);
  });

  it("an unknown query parameter is reported together with the known ones", async () => {
    const { exported } = await setUpWeb();
    const { json } = await exported("local=ru");
    expect(json.message).toBe(
      "local: is not a known query parameter here; known: locale, at, format, shape, state, tag, failing, missing, pseudo, min_complete, names, branch, min_commit",
    );
  });
});
