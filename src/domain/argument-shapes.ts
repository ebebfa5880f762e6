/** What arguments look like in any syntax, for those who show texts whose syntax they do not know. */

/**
 * Parts of texts that are arguments in some syntax. More may match than the syntax of a text takes for arguments, so this
 * says how a text is shown and never what is wrong with it. No part of it looks further than its own match may reach,
 * so that the work grows with the text alone.
 */
export const argumentShape = new RegExp(
  [
    // ICU, Java, .NET, Fluent, i18next, and templates of JavaScript: without text in between, which has a direction of its own.
    String.raw`\$?\{{1,2}[\p{L}\p{M}\p{N}_.:$@-]{1,200}\}{1,2}`,
    String.raw`[$%]?\{{1,2}[\x21-\x7a|~ ]{1,200}\}{1,2}`,
    // Ruby and Python.
    String.raw`%\{[^{}\n]{1,200}\}`,
    String.raw`%<\w{1,100}>[-+0-9.]{0,10}[a-zA-Z]`,
    String.raw`%\([^()\n]{1,200}\)[-+0-9.]{0,10}[a-zA-Z]`,
    // Symfony and Qt, then printf and Android, and Qt again, since numbers may be the width of a field.
    String.raw`%[\w.-]{1,100}%`,
    String.raw`%L\d{1,2}`,
    String.raw`%(?:\d{1,3}\$)?[-+#0,']{0,5}\d{0,9}(?:\.\d{0,9})?(?:hh|ll|[hlLqjzt])?[a-zA-Z@]`,
    String.raw`%\d{1,2}`,
    // Chrome, and what i18next and vue-i18n nest.
    String.raw`\$t\([^()\n]{1,200}\)`,
    String.raw`\$\w{1,100}\$?`,
    String.raw`@(?:\.\w{1,20})?:\w[\w.]{0,100}`,
    // Laravel.
    String.raw`(?<!\w):[a-zA-Z_]\w{0,100}`,
  ].join("|"),
  "gu",
);
