/**
 * Scripts with which shells complete the program's commands and flags. They hold all names of these, and start `skep
 * __complete` only for what a server or a storage knows; that of PowerShell starts it for everything.
 */

/** A command as far as shells complete it. */
export interface Completed {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  /** What can stand for its arguments, where that is known. */
  readonly choices: readonly string[];
  /** Whether an argument is a name that only a server or a storage knows. */
  readonly hasNames: boolean;
  readonly commands: readonly Completed[];
}

interface CompletedFlag {
  /** `--locale`, and `-l` if it has a short form. */
  readonly names: readonly string[];
  readonly description: string;
  /** Whether the next word is its value. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  /** Whether its value is a name that only a server or a storage knows. */
  readonly hasNames: boolean;
}

const writers = { bash, zsh, fish, powershell };

type Shell = keyof typeof writers;

export const shells = ["bash", "zsh", "fish", "powershell"] as const satisfies readonly Shell[];

/** The script for a shell, without a line break at its end. */
export function completionScript(shell: Shell, program: Completed): string {
  return writers[shell](commandsBelow(program, []));
}

/** A command, and the words that lead to it: `skep hive create`. */
interface Placed extends Completed {
  readonly path: string;
}

function commandsBelow(command: Completed, above: readonly string[]): readonly Placed[] {
  const path = [...above, command.name];
  return [
    { ...command, path: path.join(" ") },
    ...command.commands.flatMap((inner) => commandsBelow(inner, path)),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The first sentence of a description, for shells and for the help of all commands, which have one line for it. */
export function firstSentence(description: string): string {
  return (/^.*?(?=[.;:](?:\s|$)|$)/s.exec(description)?.[0] ?? "").replaceAll(/\s+/g, " ");
}

function flagNames(flags: readonly CompletedFlag[]): readonly string[] {
  return flags.flatMap(({ names }) => names);
}

/** `case` patterns of the flags that take a value, each behind the command that it is for. */
function valueFlags({ path, flags }: Placed): readonly string[] {
  return flagNames(flags.filter(({ takesValue }) => takesValue)).map((name) => quoted(`${path} ${name}`));
}

/** The lines of bash and zsh that offer the choices of a flag. @param offer gives the command that does. */
function valueCases(commands: readonly Placed[], offer: (choices: readonly string[]) => string): string {
  return commands
    .flatMap(({ path, flags }) =>
      flags
        .filter(({ choices }) => choices.length > 0)
        .map(({ names, choices }) => {
          const words = names.map((name) => quoted(`${path} ${name}`));
          return `      ${words.join(" | ")}) ${offer(choices)} ;;`;
        }),
    )
    .join("\n");
}

/** `case` patterns of what is looked up: flags behind their commands, and commands with such an argument. */
function namePatterns(commands: readonly Placed[]): Readonly<Record<"flags" | "args", string>> {
  const flags = commands.flatMap(({ path, flags: all }) =>
    flagNames(all.filter(({ hasNames }) => hasNames)).map((name) => quoted(`${path} ${name}`)),
  );
  const args = commands.filter(({ hasNames }) => hasNames).map(({ path }) => quoted(path));
  return { flags: flags.join(" | "), args: args.join(" | ") };
}

/** The lines, the same in bash and zsh, that find the command the words before the last one name. */
function findCommand(commands: readonly Placed[]): string {
  const inner = commands.slice(1).map(({ path }) => quoted(path));
  return `    case "$command $word" in
      ${commands.flatMap(valueFlags).join(" | ")}) value="$word" ;;
      ${inner.join(" | ")}) command="$command $word" ;;
    esac`;
}

function bash(commands: readonly Placed[]): string {
  const words = commands.map(
    ({ path, commands: inner, choices, flags }) =>
      `    ${quoted(path)}) words=${quoted([...inner.map(({ name }) => name), ...choices, ...flagNames(flags)].join(" "))} ;;`,
  );
  const values = valueCases(commands, (choices) => `words=${quoted(choices.join(" "))}`);
  const looked = namePatterns(commands);
  return `# Completion of skep for bash.
_skep() {
  local command=skep value= words= names= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [ -n "$value" ] && [ "$word" != = ]; then
      value=
      continue
    fi
${findCommand(commands)}
  done
  # What is a value of a flag is one of its choices, or a file: an empty answer makes bash complete files.
  COMPREPLY=()
  if [ -n "$value" ]; then
    case "$command $value" in
${values}
      ${looked.flags}) names=1 ;;
    esac
  else
    case "$command" in
${words.join("\n")}
    esac
    case "$command" in
      ${looked.args}) names=1 ;;
    esac
  fi
  if [ -n "$names" ] && [[ "\${COMP_WORDS[COMP_CWORD]}" != -* ]]; then
    words="$words $("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]#=}"))
}
complete -o default -F _skep skep`;
}

/** A name and what it is, as zsh's \`_describe\` reads them. */
function zshPair(name: string, description: string): string {
  return quoted(`${name.replaceAll(":", String.raw`\:`)}:${firstSentence(description)}`);
}

function zsh(commands: readonly Placed[]): string {
  const words = commands.map(({ path, commands: inner, choices, flags }) => {
    const pairs = [
      ...inner.map(({ name, description }) => zshPair(name, description)),
      ...choices.map((choice) => zshPair(choice, "")),
      ...flags.flatMap(({ names, description }) => names.map((name) => zshPair(name, description))),
    ];
    return `    ${quoted(path)})\n      found=(\n        ${pairs.join("\n        ")}\n      ) ;;`;
  });
  const values = valueCases(commands, (choices) => `found=(${choices.map(quoted).join(" ")})`);
  const looked = namePatterns(commands);
  return `#compdef skep
# Completion of skep for zsh.
_skep() {
  local command=skep value= word
  local -a found named
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$value" ]]; then
      value=
      continue
    fi
${findCommand(commands)}
  done
  if [[ -n "$value" ]]; then
    case "$command $value" in
${values}
      ${looked.flags})
        named=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
        found=("\${(@)\${(@)named:#}%%$'\\t'*}") ;;
    esac
    if (( $#found )); then compadd -a found; else _files; fi
    return
  fi
  case "$command" in
${words.join("\n")}
  esac
  if [[ "\${words[CURRENT]}" != -* ]]; then
    case "$command" in
      ${looked.args})
        named=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
        found+=("\${(@)\${(@)named:#}/$'\\t'/:}") ;;
    esac
  fi
  _describe skep found || _files
}
if [ "$funcstack[1]" = _skep ]; then _skep "$@"; else compdef _skep skep; fi`;
}

/** A text in single quotes, as fish reads it. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}

function fish(commands: readonly Placed[]): string {
  const values = commands.flatMap(({ path, flags }) =>
    flagNames(flags.filter(({ takesValue }) => takesValue)).map((name) => fishQuoted(`${path} ${name}`)),
  );
  const lines = commands.flatMap(({ path, commands: inner, choices, hasNames, flags }) => {
    const at = `complete -c skep -n ${fishQuoted(`__skep_at ${fishQuoted(path)}`)}`;
    return [
      ...inner.map(
        ({ name, description }) => `${at} -f -a ${name} -d ${fishQuoted(firstSentence(description))}`,
      ),
      ...choices.map((choice) => `${at} -f -a ${fishQuoted(choice)}`),
      ...(hasNames ? [`${at} -f -a '(__skep_names)'`] : []),
      ...flags.map(({ names, description, takesValue, choices: known, hasNames: isLookedUp }) =>
        [
          at,
          ...names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
          ...(isLookedUp
            ? [`-x -a '(__skep_names)'`]
            : known.length > 0
              ? [`-x -a ${fishQuoted(known.join(" "))}`]
              : takesValue
                ? ["-r"]
                : []),
          `-d ${fishQuoted(firstSentence(description))}`,
        ].join(" "),
      ),
    ];
  });
  return `# Completion of skep for fish.
function __skep_names
  set -l words (commandline -opc)
  $words[1] __complete $words[2..] (commandline -ct) 2>/dev/null
end
function __skep_at
  set -l command skep
  set -l value
  for word in (commandline -opc)[2..]
    if test -n "$value"
      set value
      continue
    end
    switch "$command $word"
      case ${values.join(" ")}
        set value $word
      case ${commands
        .slice(1)
        .map(({ path }) => fishQuoted(path))
        .join(" ")}
        set command "$command $word"
    end
  end
  test "$command" = "$argv[1]"
end
${lines.join("\n")}`;
}

function powershell(): string {
  return `# Completion of skep for PowerShell.
Register-ArgumentCompleter -Native -CommandName skep -ScriptBlock {
  param($word, $line, $cursor)
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object { "$_" })
  # An empty word would be left out by Windows PowerShell.
  if ($word -eq '') { $words += '""' }
  & $line.CommandElements[0].ToString() __complete @words 2>$null | ForEach-Object {
    $name, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $name }
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
  }
}`;
}
