/** Where the process of a worker begins. The primary imports it for its path alone. */
import { fileURLToPath } from "node:url";

export const workerEntry = fileURLToPath(import.meta.url);

if (process.argv[1] === workerEntry) {
  // An error of stderr cannot be reported anywhere.
  process.stderr.on("error", () => {});
  const { runWorker } = await import("./worker.ts");
  runWorker();
}
