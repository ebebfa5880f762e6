/** What makes a first team, Hive and token of an empty storage: told on the terminal and in the browser. */

/** The commands. @param at further arguments of each, such as ` --storage DIR`. */
export function firstSteps(at = ""): readonly string[] {
  return [
    `skep team create acme${at}`,
    `skep hive create web --team acme --locale fr --locale pt-BR=pt_BR${at}`,
    `skep token create --team acme --ability read --ability write${at}`,
  ];
}
