/** Fields of forms. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { writtenField, type FormState } from "../requests/form.ts";
import { addressPart } from "../requests/links.ts";
import { ownLocalesFirst, type OwnLanguages } from "./languages.ts";
import { Name } from "./text.tsx";
import { languageName, t, textIn, type NameIn } from "../texts/texts.ts";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly state: FormState;
  readonly hint?: Child;
}

/** The label and the hint of a field are the texts of its name, unless it has its own; see {@link textOf}. */
type Named =
  | { readonly name: NameIn<"field" | `field.${string}`>; readonly label?: string }
  | { readonly name: string; readonly label: string };

type OptionName = NameIn<`option.${string}` | `option.${string}.${string}`>;

type Declared<Field> = Field extends (props: infer Props) => unknown
  ? Omit<Props, "state" | keyof Named> & Named
  : never;

/** What is wrong with the parts of an address that are none of its filters, such as a misspelt one. */
export function OtherProblems(props: { state: FormState; fields: readonly FormField[] }) {
  const { state, fields } = props;
  const isShown = (name: string): boolean =>
    fields.some((field) => field.name === name && field.kind !== "switch");
  return [...state.problems].map(
    ([name, problem]) =>
      !isShown(name) && (
        <p class="notice wrong">
          <Name
            name={
              name === "" ? problem : t("form.address_part", { part: addressPart(name, state.values[name]) })
            }
          />
        </p>
      ),
  );
}

/**
 * The state of filters with what is wrong with their choices in words of the page: nobody types a value of these, and what the
 * error names are the values of the address.
 */
export function withChoices(state: FormState, fields: readonly FormField[]): FormState {
  const isChoice = (name: string): boolean =>
    fields.some((field) => field.name === name && field.kind === "one");
  const problems = Array.from(state.problems, ([name, problem]) => {
    return [name, isChoice(name) ? t("form.no_choice") : problem] as const;
  });
  return { ...state, problems: new Map(problems) };
}

/**
 * What is wrong with a form that was sent, at its fields, and what belongs to none of them. Errors name members of the API
 * and their parts, which here belong to one field: `locales.0` to `locales`, `terms.0.translations.fr.text` to `text`.
 */
export function problemsAt(
  { problems }: FormState,
  fields: readonly { readonly name: string }[],
): { readonly at: ReadonlyMap<string, string>; readonly others: readonly string[] } {
  const at = new Map<string, string>();
  const others: string[] = [];
  for (const [member, problem] of problems) {
    const parts = member.split(".").toReversed();
    // The field of a member of an object has the names of both.
    const whole = fields.find(
      (field) => field.name.includes(".") && `${member}.`.startsWith(`${field.name}.`),
    );
    // One of several locales is a `locale`.
    const name =
      whole?.name ??
      parts.flatMap((part) => [part, `${part}s`]).find((part) => fields.some((field) => field.name === part));
    if (name === undefined) others.push(member === "" ? problem : t("form.what_the_page_sent", { problem }));
    else if (!at.has(name)) at.set(name, problem);
  }
  return { at, others };
}

function Field(props: PropsWithChildren<FieldProps & { class?: string }>) {
  const { label, name, state, hint, class: className, children } = props;
  const { form } = state;
  return (
    <div class={className === undefined ? "field" : `field ${className}`}>
      <label for={`${form}-${name}`}>{label}</label>
      {children}
      {hint !== undefined && <p class="hint">{hint}</p>}
      <Problem name={name} state={state} />
    </div>
  );
}

/** What is wrong with a field, below it. */
export function Problem({ name, state: { form, problems } }: Pick<FieldProps, "name" | "state">) {
  return (
    <p class="problem" id={`problem-${form}-${name}`}>
      {problems.has(name) && <Name name={problems.get(name) ?? ""} />}
    </p>
  );
}

/** The attributes by which a field is found by its label and says its {@link Problem}. */
export function described({ name, state: { form, problems } }: Pick<FieldProps, "name" | "state">) {
  return {
    id: `${form}-${name}`,
    name,
    "aria-describedby": `problem-${form}-${name}`,
    "aria-invalid": problems.has(name) ? ("true" as const) : undefined,
    // The first field that was refused is where one goes on.
    autofocus: problems.keys().next().value === name,
  };
}

/**
 * A text field, or another input type of browsers.
 * @param props.options the suggestions of the browser; `list` names the suggestions of another field.
 * @param props.isFocused whether one begins to write here.
 * @param props.autocomplete what a browser's store of passwords fills in.
 * @param props.isWhole whether a partial value has no results, so that a script waits for the complete value.
 */
function TextField(
  props: FieldProps & {
    class?: string;
    type?: "date" | "search" | "number" | "url" | "password" | "email";
    value?: string | null;
    required?: boolean;
    placeholder?: string;
    options?: readonly (string | readonly [value: string, shown: string])[];
    list?: string;
    isWhole?: boolean;
    isFocused?: boolean;
    autocomplete?: "current-password" | "new-password";
  },
) {
  const { class: className, options, list, isWhole, isFocused, autocomplete, ...others } = props;
  const { type, required, value, placeholder, ...field } = others;
  const suggested = options === undefined ? list : `options-${field.state.form}-${field.name}`;
  const attributes = { type, required, placeholder, list: suggested };
  return (
    <Field class={className} {...field}>
      <input
        {...described(field)}
        {...attributes}
        {...(isFocused === true && { autofocus: true })}
        // A password does not stand on a page.
        value={autocomplete === undefined ? (field.state.values[field.name] ?? value ?? "") : ""}
        spellcheck={false}
        autocomplete={autocomplete ?? "off"}
        data-whole={isWhole}
      />
      {options !== undefined && (
        <datalist id={suggested}>
          {options.map((option) =>
            typeof option === "string" ? (
              <option value={option} />
            ) : (
              <option value={option[0]}>{option[1]}</option>
            ),
          )}
        </datalist>
      )}
    </Field>
  );
}

/** A field of several lines. */
function TextArea(
  props: FieldProps & {
    class?: string;
    value?: string;
    rows?: number;
    required?: boolean;
    placeholder?: string;
  },
) {
  const { class: className, value, rows = 2, required, placeholder, ...field } = props;
  return (
    <Field class={className} {...field}>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea {...described(field)} rows={rows} required={required} placeholder={placeholder} dir="auto">
        {`\n${field.state.values[field.name] ?? value ?? ""}`}
      </textarea>
    </Field>
  );
}

/**
 * A choice of one value.
 * @param props.options the values, with what is shown of each unless that is the text `option.FORM.FIELD.VALUE`.
 * @param props.all the label for no value; without it, there is always a value.
 * @param props.allIsLast whether that stands behind the values.
 * @param props.value the initial value.
 */
function Choice(
  props: FieldProps & {
    options: readonly (OptionName | readonly [value: string, shown: string])[];
    all?: string;
    allIsLast?: boolean;
    value?: string;
  },
) {
  const { options, all, allIsLast = false, value, ...field } = props;
  const { name, state } = field;
  const chosen = state.values[name] ?? value;
  const withText = (one: string) => [one, textOf("option", state, `${name}.${one}`)] as const;
  const offered = options.map((option) => (typeof option === "string" ? withText(option) : option));
  const isChosen = offered.some(([one]) => one === chosen);
  return (
    <Field {...field}>
      <select {...described(field)}>
        {all !== undefined && !allIsLast && <option value="">{all}</option>}
        {offered.map(([one, shown]) => (
          <option value={one} selected={one === chosen}>
            {shown}
          </option>
        ))}
        {all !== undefined && allIsLast && (
          <option value="" selected={!isChosen}>
            {all}
          </option>
        )}
      </select>
    </Field>
  );
}

/** A checkbox. @param props.isOn whether it is initially on. */
function Switch({ label, name, state, isOn = false }: FieldProps & { isOn?: boolean }) {
  const checked = state.values[name] !== undefined || (isOn && state.problems.size === 0);
  return (
    <label class="switch">
      <input type="checkbox" name={name} value="true" checked={checked} /> {label}
    </label>
  );
}

/** More choices stand in several columns, which scroll. */
const maxInColumn = 12;

/**
 * A choice of any number of values.
 * @param props.options the values, or each with what is shown of it.
 * @param props.chosen the initial values.
 * @param props.unless the field that stands for it where it has a value; the styles hide it then.
 */
function Choices(
  props: FieldProps & {
    options: readonly (string | readonly [value: string, shown: string])[];
    chosen?: readonly string[];
    unless?: string;
  },
) {
  const { options, chosen = [], unless, hint, ...field } = props;
  const { problems, all } = field.state;
  const present = problems.size === 0 ? chosen : all(field.name);
  return (
    <fieldset class="field" data-unless={unless}>
      <legend>{field.label}</legend>
      <div class={options.length > maxInColumn ? "choices" : undefined}>
        {options
          .map((option) => (typeof option === "string" ? ([option, option] as const) : option))
          .map(([value, shown]) => (
            <label class="check">
              <input type="checkbox" name={field.name} value={value} checked={present.includes(value)} />{" "}
              {shown}
            </label>
          ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <p class="problem">{problems.has(field.name) && <Name name={problems.get(field.name) ?? ""} />}</p>
    </fieldset>
  );
}

/** A field for a file. @param props.accept the endings and types that are offered. */
function FileField(props: FieldProps & { accept?: string }) {
  const { accept, ...field } = props;
  return (
    <Field {...field}>
      <input type="file" {...described(field)} accept={accept} required />
    </Field>
  );
}

/** A field: a text field unless it is a choice of `one` or of `many` values, an `area`, a `file` or a `switch`. */
export type FormField =
  | ({ readonly kind?: undefined } & Declared<typeof TextField>)
  | ({ readonly kind: "one" } & Declared<typeof Choice>)
  | ({ readonly kind: "many" } & Declared<typeof Choices>)
  | ({ readonly kind: "area" } & Declared<typeof TextArea>)
  | ({ readonly kind: "file" } & Declared<typeof FileField>)
  | ({ readonly kind: "switch" } & Declared<typeof Switch>);

/** A text about a field of a form, or else about the fields of this name in all forms. */
function textOf(group: "field" | "hint" | "option", { form }: FormState, name: string): string | undefined {
  return textIn(group, `${form}.${name}`) ?? textIn(group, name);
}

/** The label of a field. @throws Error for one that has none in this form. */
function labelOf(field: FormField, state: FormState): string {
  const label = field.label ?? textOf("field", state, field.name);
  if (label === undefined) throw new Error(`${field.name} has no label in the form ${state.form}`);
  return label;
}

interface Chosen {
  readonly name: string;
  readonly label: string;
  /** A switch has none. */
  readonly value: string | undefined;
}

/** The fields that have a value, with what people call both. */
export function chosenIn(fields: readonly FormField[], state: FormState): readonly Chosen[] {
  return fields.flatMap((field): Chosen[] => {
    const { name } = field;
    const value = state.values[name];
    if (value === undefined || value === "") return [];
    const label = labelOf(field, state);
    if (field.kind === "switch") return [{ name, label, value: undefined }];
    const options = field.kind === "one" || field.kind === "many" ? field.options : [];
    const named = options.find((option) => typeof option !== "string" && option[0] === value)?.[1];
    return [{ name, label, value: named ?? textOf("option", state, `${name}.${value}`) ?? value }];
  });
}

/** The fields of a form. @throws Error for one that has no label in this form. */
export function Fields({ fields, state }: { fields: readonly FormField[]; state: FormState }) {
  return fields.map((field) => {
    const label = labelOf(field, state);
    const given = { state, label, hint: field.hint ?? textOf("hint", state, field.name) };
    if (field.kind === "one") return <Choice {...field} {...given} />;
    if (field.kind === "many") return <Choices {...field} {...given} />;
    if (field.kind === "file") return <FileField {...field} {...given} />;
    if (field.kind === "area") return <TextArea {...field} {...given} />;
    if (field.kind === "switch") return <Switch {...field} {...given} />;
    return <TextField {...field} {...given} />;
  });
}

/** The names of the fields into which people write, for a hidden field; see `writtenIn`. */
export function writtenNames(fields: readonly FormField[]): Readonly<Record<string, string>> {
  const written = fields.filter(
    (field) => field.kind === "area" || (field.kind === undefined && field.type !== "password"),
  );
  return { [writtenField]: written.map(({ name }) => name).join(" ") };
}

/** The options of a field that chooses a locale, each its code in the Hive and its name; those of the reader come first. */
export function localeOptions(
  own: OwnLanguages,
  locales: readonly Locale[],
): readonly (readonly [string, string])[] {
  return ownLocalesFirst(own, locales).map(localeOption);
}

function localeOption(locale: Locale): readonly [string, string] {
  const code = codeOf(locale);
  return [code, `${languageName(locale)} (${code})`];
}
