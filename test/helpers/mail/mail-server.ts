/** A mail server on this machine that keeps what it gets, and can misbehave. */
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** With its headers, as it came. */
  readonly content: string;
}

interface Behaviour {
  /** What it answers to a command in place of what it should; undefined for nothing at all. */
  readonly answer?: (line: string) => string | undefined | false;
}

export interface MailServer {
  readonly url: URL;
  readonly mails: readonly ReceivedMail[];
  /** All lines that it got but those of mails. */
  readonly commands: readonly string[];
  /** How many connections are open. */
  readonly open: () => number;
}

/** Starts a mail server, which ends with the test. @param answer false for the usual answer. */
export async function startMailServer({ answer = () => false }: Behaviour = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    let [from, to, data]: [string, string[], string[] | undefined] = ["", [], undefined];
    const usual = (line: string): string => {
      if (line === "connected") return "220 localhost";
      if (/^EHLO/i.test(line)) return "250-localhost\r\n250-8BITMIME\r\n250 SMTPUTF8";
      if (/^MAIL FROM:/i.test(line)) from = /<(.*?)>/.exec(line)?.[1] ?? "";
      if (/^RCPT TO:/i.test(line)) to.push(/<(.*?)>/.exec(line)?.[1] ?? "");
      if (/^DATA/i.test(line)) {
        data = [];
        return "354 go on";
      }
      return /^QUIT/i.test(line) ? "221 bye" : "250 ok";
    };
    const reply = (line: string): void => {
      const said = answer(line);
      const text = said === false ? usual(line) : said;
      if (text !== undefined) socket.write(`${text}\r\n`);
    };
    let rest = "";
    socket.on("data", (bytes) => {
      const lines = (rest + bytes.toString("utf8")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (data === undefined) {
          commands.push(line);
          reply(line);
        } else if (line === ".") {
          mails.push({ from, to, content: data.join("\r\n") });
          [from, to, data] = ["", [], undefined];
          reply("end of the mail");
        } else data.push(line.replace(/^\.\./, "."));
      }
    });
    reply("connected");
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => void server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`smtp://127.0.0.1:${port}`), mails, commands, open: () => sockets.size };
}

/** The decoded text of a part of a mail. */
export function partOf({ content }: ReceivedMail, type: "text/plain" | "text/html"): string {
  const [, boundary = ""] = /boundary="([^"]+)"/.exec(content) ?? [];
  const part = content.split(`--${boundary}`).find((one) => one.includes(`Content-Type: ${type}`)) ?? "";
  const [head = "", ...body] = part.split("\r\n\r\n");
  const text = body.join("\r\n\r\n");
  if (/base64/i.test(head)) return Buffer.from(text, "base64").toString("utf8");
  if (!/quoted-printable/i.test(head)) return text;
  const bytes = text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** The value of a header on one line; undefined where there is none. */
export function headerOf({ content }: ReceivedMail, name: string): string | undefined {
  const [head = ""] = content.split("\r\n\r\n");
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  return lines
    .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))
    ?.slice(name.length + 2);
}
