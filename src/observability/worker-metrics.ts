/** Adds up the metrics of several workers, as if they were one server. */
import { EventEmitter, once } from "node:events";
import { AggregatorRegistry, type Registry } from "prom-client";
import type { MetricsReport } from "./metrics.ts";

/** A worker that does not report in this time is busy, and counts with what it reported last. */
const timeoutMs = 2_000;
/** Metrics of a process itself: each process has its own, by its label. */
const ofProcess = /^(?:process|nodejs)_/;

/**
 * Adds up what workers report. What a worker had counted when it was last asked still counts after its end: a sum that
 * falls would look to Prometheus as if everything had been counted anew.
 */
export class WorkerMetrics {
  readonly #ask: (worker: number) => void;
  /** The last report of each worker, by its number. */
  readonly #reports = new Map<number, MetricsReport>();
  /** What workers that have ended had counted. */
  #ended: MetricsReport = [];
  /** Resolves when the workers that have ended are counted there. */
  #counted: Promise<void> = Promise.resolve();
  /** Emits an event for each report, and each end, named by the number of the worker. */
  readonly #reported = new EventEmitter().setMaxListeners(0);

  /** @param ask asks a worker for its report. */
  constructor(ask: (worker: number) => void) {
    this.#ask = ask;
  }

  add(worker: number, report: MetricsReport): void {
    this.#reports.set(worker, report);
    this.#reported.emit(String(worker));
  }

  /** Keeps of the last report of a worker what still counts after its end. */
  end(worker: number): void {
    this.#counted = this.#keepCounts(worker, this.#counted);
  }

  async #keepCounts(worker: number, before: Promise<void>): Promise<void> {
    await before;
    const counted = (this.#reports.get(worker) ?? []).filter(
      // The library declares the types as numbers, but they are words.
      ({ name, type }) => !ofProcess.test(name) && ["counter", "histogram"].includes(String(type)),
    );
    const ended = await merge([this.#ended, counted]).getMetricsAsJSON();
    this.#reports.delete(worker);
    this.#ended = ended;
    this.#reported.emit(String(worker));
  }

  /**
   * All together in Prometheus' text format.
   * @param workers those that run.
   * @param own the report of the process that asks.
   */
  async text(workers: readonly number[], own: MetricsReport): Promise<string> {
    await Promise.all(workers.map((worker) => this.#refresh(worker)));
    return merge([own, this.#ended, ...this.#reports.values()]).metrics();
  }

  async #refresh(worker: number): Promise<void> {
    const report = once(this.#reported, String(worker), { signal: AbortSignal.timeout(timeoutMs) });
    this.#ask(worker);
    await report.catch(() => undefined);
  }
}

function merge(reports: readonly MetricsReport[]): Registry {
  // The library would give averages of some metrics of processes, and leave others out.
  const kept = reports.map((report) =>
    report.map((metric) => (ofProcess.test(metric.name) ? { ...metric, aggregator: "first" } : metric)),
  );
  return AggregatorRegistry.aggregate(kept);
}
