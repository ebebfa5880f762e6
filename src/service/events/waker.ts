/** Lets a loop sleep until there may be work. A wake-up before the sleep is not lost. */
export class Waker {
  #isWoken = false;
  #end: (() => void) | undefined;

  readonly wake = (): void => {
    this.#isWoken = true;
    this.#end?.();
  };

  /**
   * Sleeps until it is woken, at most so many milliseconds.
   * @returns whether it was woken since the last sleep.
   */
  async sleep(ms: number): Promise<boolean> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#end = undefined;
    }
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken;
  }
}
