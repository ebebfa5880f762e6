/** The published conformance suite of the Model Context Protocol, on a server that listens. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { App } from "../../../src/http/app.ts";
import { listen } from "../../../src/http/server.ts";
import { appOn, realFolder, setUpWeb } from "../../helpers/storage.ts";

const suite = new URL("../../helpers/mcp-conformance.mjs", import.meta.url).pathname;

const passing = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  // Opens several streams where there are sessions: here it sees that there are none.
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/** Why a scenario does not apply. Most call tools or read resources of a server that is written for the suite. */
const notOffered = {
  "logs, which the server writes for those who run it": ["logging-set-level", "tools-call-with-logging"],
  "completion of arguments: the schemas of the tools have no prompts or templates to complete": [
    "completion-complete",
  ],
  "content of other kinds than text: all answers are JSON": [
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ],
  "requests and events from the server to the client: each request is answered by itself": [
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-polling",
  ],
  "the suite's own tool json_schema_2020_12_tool": ["json-schema-2020-12"],
  "resources: texts are read with tools": [
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  prompts: [
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
};

it("passes the scenarios of what it offers, and none is unknown", async () => {
  const { storage, token } = await setUpWeb();
  const { app } = appOn(storage);
  const served: App = {
    ...app,
    respondFast: (request, response) => {
      // The suite sends no token.
      request.headers.authorization = `Bearer ${token}`;
      return app.respondFast(request, response);
    },
  };
  const { url, close } = await listen(served, { host: "localhost", port: 0 });
  onTestFinished(() => close());
  const args = [suite, "server", "--suite", "all", "--url", `${url}/mcp`, "--output-dir", realFolder()];
  // It ends with 1, for the scenarios that do not apply.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) =>
    z.object({ stdout: z.string() }).parse(error),
  );
  const results = [...stdout.matchAll(/^([✓✗]) (\S+): /gm)];
  const named = (mark: string) => results.flatMap(([, own, name]) => (own === mark ? [name] : [])).toSorted();
  expect(named("✓"), stdout).toEqual(passing.toSorted());
  expect(named("✗"), stdout).toEqual(Object.values(notOffered).flat().toSorted());
});
