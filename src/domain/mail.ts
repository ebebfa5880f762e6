/** Mails, and the addresses to which they may go. */

export interface Mail {
  /** See {@link isMailable}. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address that ends mails of this kind with one request; undefined for what was asked for once. */
  readonly unsubscribe?: string;
}

/** Where mails come from. */
export interface Mailbox {
  readonly name?: string;
  readonly address: string;
}

/** What browsers take for an address in a form, so that no address can name several, or begin another header. */
const address =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Whether mails can be sent to a text. */
export function isMailable(text: string): boolean {
  return text.length <= 254 && address.test(text);
}

/** Reads `Skep <skep@example.org>` or an address alone. @returns undefined for anything else. */
export function toMailbox(text: string): Mailbox | undefined {
  const [, name, inner] = /^\s*([^<>"\p{Cc}]*?)\s*<([^<>]*)>\s*$/u.exec(text) ?? [];
  const given = inner ?? text.trim();
  if (!isMailable(given)) return undefined;
  return name ? { name, address: given } : { address: given };
}
