/**
 * Listens for several processes, and gives them the connections in turn. A process gets the next one when it has taken
 * the last, so one that is busy gets fewer. `node:cluster` does the same, but keeps a connection open for ever whose
 * process dies before it has taken it, and gives the port up whenever no process is left.
 */
import { createServer, type Socket } from "node:net";
import { listenAt, maxConnections, type Address } from "./server.ts";

export class Connections {
  /** Where connections go; at most one at a time to each process, which keeps it until it says that it has it. */
  readonly #give: (worker: number, connection: Socket) => void;
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#offer(socket));
  readonly #workers = new Set<number>();
  /** The processes that wait for a connection, in the order in which they began to wait. */
  readonly #free = new Set<number>();
  /** The connection that each process was given last, until it has taken it. */
  readonly #given = new Map<number, Socket>();
  readonly #waiting: Socket[] = [];

  /** @param give gives a connection to a process. It stays open here, too. */
  constructor(give: (worker: number, connection: Socket) => void) {
    this.#give = give;
  }

  /** Begins to listen. @returns the URL. @throws the system's error when it cannot listen on the address. */
  listen(address: Address): Promise<string> {
    return listenAt(this.#server, address);
  }

  /** A process takes connections from now on. */
  add(worker: number): void {
    this.#workers.add(worker);
    this.taken(worker);
  }

  /** A process has taken what it was given, and may have another one. */
  taken(worker: number): void {
    this.#close(worker);
    if (!this.#workers.has(worker)) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.add(worker);
    else this.#send(worker, next);
  }

  /** A process takes no more connections. If it has ended, the connection that it was given is closed. */
  remove(worker: number, { hasEnded }: { readonly hasEnded: boolean }): void {
    this.#workers.delete(worker);
    this.#free.delete(worker);
    if (hasEnded) this.#close(worker);
  }

  /** Stops to listen; connections that still wait are closed. */
  close(): void {
    this.#server.close();
    this.#workers.clear();
    this.#free.clear();
    for (const connection of this.#waiting.splice(0)) connection.destroy();
  }

  #offer(connection: Socket): void {
    // The connection may be reset while it waits.
    connection.on("error", () => {});
    const [worker] = this.#free;
    if (worker !== undefined) this.#send(worker, connection);
    else if (this.#waiting.length < maxConnections) this.#waiting.push(connection);
    else connection.destroy();
  }

  #send(worker: number, connection: Socket): void {
    this.#free.delete(worker);
    this.#given.set(worker, connection);
    this.#give(worker, connection);
  }

  /** Closes a connection here; it stays open in the process that has taken it. */
  #close(worker: number): void {
    this.#given.get(worker)?.destroy();
    this.#given.delete(worker);
  }
}
