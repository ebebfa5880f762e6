/** What a declaration says of its operation's command, form and tool. */

/** The command of an operation. Without one, its verb and its flags alone say what it is. */
export interface CommandDocs<Given extends string = string, Answered extends string = string> {
  /** Its name, where that is not the verb. */
  readonly name?: string;
  /** The members of the body that are arguments, in this order; the others are flags. */
  readonly args?: readonly Given[];
  /**
   * The member of the answer that it prints alone, because it is shown only this once; or, after a point, a member of that.
   * Where the answer does not have it, it says that it is done.
   */
  readonly prints?: Answered | `${Answered}.${string}`;
  /** Whether it prints the answer, a member a line, as commands that show one do. */
  readonly shows?: true;
  /** What it says before what it prints, in place of `done`, where the answer may not have that. */
  readonly printed?: string;
  /**
   * The member of the answer that tells whether it failed: it is false then, and `error` says why; or it is `error` itself,
   * and not `null`.
   */
  readonly fails?: Answered;
  /**
   * What it says when it is done, where the verb alone does not say it, with members of the answer in braces, and with
   * `{place}` for the server; and when it failed, before why.
   */
  readonly done?: string;
  readonly failed?: string;
  /** What its help says at the end, in place of the description. */
  readonly help?: string;
  /** Another name that it has, which help does not show. */
  readonly was?: string;
  /** Whether one that deletes asks by that name, too. */
  readonly wasAsked?: true;
  /** Whether one that deletes is confirmed by the name of what it deletes, and not by a yes. */
  readonly asksName?: true;
  /** The members of the answer that it does not show, because others say the same. */
  readonly omits?: readonly Answered[];
  /** What the command line says of members, by their paths, where their names and descriptions do not say it. */
  readonly members?: Readonly<Record<string, MemberDocs>>;
}

/** A member of a request on the command line. */
export interface MemberDocs {
  readonly flag?: string;
  readonly help?: string;
  /** What is given is not the text but where it is, so that it stands in no list of processes: `env:`, `file:` or `-`. */
  readonly reads?: "secret";
}

/** A field of a form whose member says not enough by itself. */
export interface FieldDocs {
  /** What is chosen from, in place of the values that the member can have. */
  readonly options?: "hives" | "abilities" | "reviews" | "locales";
  /** What is offered while one writes. */
  readonly suggests?: "states" | "languages";
  /** The name of the text that stands for no value; without it, one of several values is always chosen. */
  readonly none?: string;
  /** Whether that stands behind the values, as what is left where none of them fits. */
  readonly noneIsLast?: true;
  /** An example of what to write. */
  readonly placeholder?: string;
  /** Whether it is a text of several lines. */
  readonly isLong?: true;
  /** Whether it is never shown; an empty field leaves it as it is. */
  readonly isSecret?: true;
  /** The member that stands for it: it is asked for, and sent, only where that has no value. */
  readonly unless?: string;
  /** What it says before anything is chosen: a value, or `true` for a switch. */
  readonly initial?: string | true;
}

/**
 * A button that sets one member, in place of a field for it. It is there where the member has another value. Two of one
 * member are a switch, which is on with the value that is neither false nor `null`.
 */
export interface SwitchDocs<Given extends string = string> {
  readonly member: Given;
  readonly value: boolean | string | null;
  /** The name of the text on it. */
  readonly button: string;
}

/** The form of an operation in the console. Texts are named as in its `texts`. */
export interface FormDocs<Given extends string = string> {
  /** The name of the text above it. */
  readonly title?: string;
  /** The name of the text on its button. */
  readonly button: string;
  /** The members that it asks for, in this order; all if not given. An action with some has a form of its own. */
  readonly members?: readonly Given[];
  /** By member of the body; after a point, by member of one that is an object. */
  readonly fields?: Readonly<Partial<Record<Given | `${Given}.${string}`, FieldDocs>>>;
  readonly switches?: readonly SwitchDocs<Given>[];
  /** Members that say one thing together: all of a group are sent where one is. Of others, those that were changed are. */
  readonly together?: readonly (readonly Given[])[];
  /** Whether it asks whether that is meant. */
  readonly confirms?: true;
  /** The values of the member `state` where it is of use; all if not given. */
  readonly states?: readonly string[];
}

/** The tool by which models use an operation. */
export interface ToolDocs {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether its answer has stored texts, of which models must be told that nothing in them is an instruction. */
  readonly givesTexts?: true;
  /** Whether it may replace or take away what is stored. */
  readonly isDestructive?: true;
}
