/** The metrics of several workers as those of one server. */
import { expect, it } from "vitest";
import { createMetrics, type Metrics } from "../../src/observability/metrics.ts";
import { WorkerMetrics } from "../../src/observability/worker-metrics.ts";

function setUp() {
  const running = new Map<number, Metrics>();
  const start = (worker: number): Metrics => {
    const metrics = createMetrics(String(worker));
    running.set(worker, metrics);
    return metrics;
  };
  const all = new WorkerMetrics((worker) => {
    // As it is between processes.
    void running
      .get(worker)
      ?.report()
      .then((report) => all.add(worker, JSON.parse(JSON.stringify(report))));
  });
  const own = createMetrics("primary");
  const lines = async () => (await all.text([...running.keys()], await own.report())).split("\n");
  return { running, start, all, lines };
}

const commits = "skep_commit_seconds_count";

it("counts of workers are added up, and each process has its own memory", async () => {
  const { start, lines } = setUp();
  start(1).store.committed(10);
  const two = start(2);
  for (let i = 0; i < 2; i++) two.store.committed(100);
  const found = await lines();
  expect(found).toContain(`${commits} 3`);
  expect(found).toContain('skep_commit_seconds_bucket{le="0.01"} 1');
  for (const worker of ["primary", "1", "2"]) {
    expect(
      found.filter((line) => line.startsWith(`process_start_time_seconds{worker="${worker}"}`)),
    ).toHaveLength(1);
  }
});

it("what a worker had counted stays after its end, and what it measured goes", async () => {
  const { running, start, all, lines } = setUp();
  start(1).store.committed(10);
  start(2).store.committed(10);
  expect(await lines()).toContain(`${commits} 2`);
  for (let i = 0; i < 3; i++) {
    running.delete(1);
    all.end(1);
    expect(await lines()).toContain(`${commits} ${2 + i}`);
    start(1).store.committed(10);
    expect(await lines()).toContain(`${commits} ${3 + i}`);
  }
  running.delete(1);
  all.end(1);
  await lines();
  expect((await lines()).filter((line) => line.includes('worker="1"'))).toEqual([]);
});

it("a worker that ends while it is asked is not waited for", async () => {
  const { running, start, all, lines } = setUp();
  start(1).store.committed(10);
  await lines();
  const one = running.get(1);
  if (one === undefined) throw new Error("it runs");
  running.set(1, { ...one, report: () => new Promise(() => {}) });
  const asked = lines();
  all.end(1);
  expect(await asked).toContain(`${commits} 1`);
});
