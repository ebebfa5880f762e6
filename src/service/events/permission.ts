/** What a listener may see, read again only when it may have changed: there are many, and each is asked for each event. */
import type { TokenId } from "../../domain/names.ts";
import type { Storage } from "../storage.ts";

export class Permission<T> {
  readonly #storage: Pick<Storage, "registry" | "now">;
  readonly #token: TokenId;
  readonly #authorise: () => Promise<T>;
  #known: { readonly version: string; readonly expires: number; readonly value: T } | undefined;

  /** @param authorise authorises the listener by the settings as they are now. */
  constructor(storage: Pick<Storage, "registry" | "now">, token: TokenId, authorise: () => Promise<T>) {
    this.#storage = storage;
    this.#token = token;
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
    const value = await this.#authorise();
    const { expires } = (await this.#storage.registry.token(this.#token)) ?? {};
    // Of settings that are being changed nothing is kept.
    this.#known = {
      version: version ?? "",
      expires: expires === undefined ? Infinity : Date.parse(expires),
      value,
    };
    return value;
  }

  /** How many milliseconds are left of the token, as of the last read. */
  get left(): number {
    return (this.#known?.expires ?? 0) - this.#storage.now();
  }
}
