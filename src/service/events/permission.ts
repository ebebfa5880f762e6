/** What a listener may see, read again only when it may have changed: there are many, and each is asked for each event. */
import type { Rights } from "../../domain/access/token.ts";
import type { Storage } from "../storage.ts";

/** What a listener may see, by their rights as they are now. */
interface Permitted<T> {
  readonly value: T;
  readonly rights: Rights;
}

export class Permission<T> {
  readonly #storage: Pick<Storage, "registry" | "now">;
  readonly #authorise: () => Promise<Permitted<T>>;
  #known: { readonly version: string; readonly expires: number; readonly value: T } | undefined;

  /** @param authorise authorises the listener by the settings as they are now. */
  constructor(storage: Pick<Storage, "registry" | "now">, authorise: () => Promise<Permitted<T>>) {
    this.#storage = storage;
    this.#authorise = authorise;
  }

  /**
   * What the listener may see. Settings are checked once per tick of the event loop, for all listeners.
   * @throws what authorising throws.
   */
  async recent(): Promise<T> {
    const version = this.#storage.registry.version.recent();
    if (this.#known !== undefined && this.#known.version === version && this.left > 0)
      return this.#known.value;
    this.#known = undefined;
    const { value, rights } = await this.#authorise();
    const { expires } = rights;
    // Of settings that are being changed nothing is kept.
    this.#known = {
      version: version ?? "",
      expires: expires === undefined ? Infinity : Date.parse(expires),
      value,
    };
    return value;
  }

  /** How many milliseconds are left of the rights, as of the last read. */
  get left(): number {
    return (this.#known?.expires ?? 0) - this.#storage.now();
  }
}
