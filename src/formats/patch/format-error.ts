/** A file that a format cannot read or write. */
export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}
