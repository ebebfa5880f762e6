/** The entry point of a worker's process. The supervisor imports this module only for its path. */
import { fileURLToPath } from "node:url";

export const workerEntry = fileURLToPath(import.meta.url);

if (process.argv[1] === workerEntry) {
  // An error of stderr cannot be reported anywhere.
  process.stderr.on("error", () => {});
  const { runWorker } = await import("./worker.ts");
  runWorker();
}
