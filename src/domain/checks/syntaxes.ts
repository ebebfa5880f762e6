/** The syntaxes of messages by their names. */
import { brace } from "./brace.ts";
import { chrome } from "./chrome.ts";
import { fluent } from "./fluent.ts";
import { i18next } from "./i18next.ts";
import { flutter, flutterEscaped, icu } from "./icu.ts";
import { java } from "./java.ts";
import { laravel } from "./laravel.ts";
import { nothing, type MessageSyntax } from "./message.ts";
import { printf, android } from "./printf.ts";
import { qt } from "./qt.ts";
import { rails } from "./rails.ts";
import { symfony } from "./symfony.ts";
import type { SyntaxName } from "./syntax-names.ts";

/** Texts without arguments, which may have tags; those of the syntax `none` are not looked at. */
const text: MessageSyntax = {
  special: /(?!)/,
  isStrict: false,
  parse: () => ({ arguments: [] }),
  compareWith: () => () => nothing,
};

export const syntaxes: Readonly<Record<SyntaxName, MessageSyntax>> = {
  icu,
  flutter,
  "flutter-escaped": flutterEscaped,
  i18next,
  laravel,
  rails,
  printf,
  android,
  brace,
  fluent,
  java,
  qt,
  chrome,
  symfony,
  text,
  none: text,
};
