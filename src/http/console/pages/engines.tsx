/** The engines of a team with their states, and what they were asked for today; each can be tried with a text. */
import { z } from "zod";
import { engineTrial, type EngineAnswer } from "../../../api/engines.ts";
import { toLocale } from "../../../domain/hives/locale.ts";
import { listEngines } from "../../../service/admin/engines.ts";
import { engineOperations, toEngine } from "../../operations/engines.ts";
import { check } from "../../schemas/schemas.ts";
import { offersOf } from "../parts/member-fields.ts";
import { Listing, teamPage, ListWithForm } from "../parts/navigation.tsx";
import { Findings } from "../parts/findings.tsx";
import {
  actionPath,
  needsOf,
  OperationButtons,
  OperationForm,
  operationForms,
} from "../parts/operation-form.tsx";
import { Code, Name, Text, TimeOf } from "../parts/text.tsx";
import { writtenState, type FormState } from "../requests/form.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { comma, figure, t } from "../texts/texts.ts";

const statusMarks: Readonly<Record<EngineAnswer["state"], string>> = {
  ready: "translated",
  down: "failing",
  spent: "waiting",
  no_key: "failing",
};

/** `change` names the engine that the form edits, `try` the one that it tries. */
const enginesQuery = z.object({ change: z.string().optional(), try: z.string().optional() });

const enginePage = { implemented: engineOperations, path: "team/engines" };

type Trial = z.output<typeof engineTrial>;

async function enginesOf({ storage, session }: TeamRequest): Promise<readonly EngineAnswer[]> {
  return (await listEngines(storage, session.caller.team.name)).map(toEngine);
}

/** @param trial what an engine has made of the text of the form. */
async function show(request: TeamRequest, submitted?: FormState, trial?: Trial): Promise<View> {
  const { session } = request;
  const engines = await enginesOf(request);
  const { change, try: tried } = namedIn(request, submitted);
  const edited = engines.find(({ name }) => name === (tried ?? change));
  const titled = tried === undefined ? "engines.change" : "engines.try_it";
  return teamPage(
    request,
    "Engines",
    <ListWithForm
      list={
        <Listing
          none={t("engines.none")}
          columns={["engine", "model", "locales", "state", "characters_today", "next_try"]}
          rows={engines.map((engine) => ({
            cells: cellsOf(engine),
            action: <OperationButtons page={enginePage} entity={engine} />,
          }))}
        />
      }
      form={
        <>
          <OperationForm
            page={enginePage}
            offers={offersOf(session.caller)}
            edited={edited}
            verb={edited === undefined || tried === undefined ? undefined : "try"}
            title={edited && t(titled, { name: edited.name })}
            submitted={submitted}
          />
          {edited !== undefined && trial !== undefined && (
            <TrialResult trial={trial} engine={edited.name} to={submitted?.values["to"] ?? ""} />
          )}
        </>
      }
    />,
  );
}

/** The engines that an address or a form names. */
function namedIn({ query, param }: TeamRequest, submitted: FormState | undefined) {
  if (submitted === undefined) return check(enginesQuery, query, "query");
  if (submitted.form === enginePage.path) return { change: submitted.values["change"] };
  return { try: param("engine") };
}

/** What came back, and what it cost. @param props.to the code of its language. */
function TrialResult(props: { trial: Trial; engine: string; to: string }) {
  const { trial, engine, to } = props;
  const { text, model, characters, findings } = trial;
  return (
    <div class="panel" role="status">
      <p>
        <Text text={text} lang={toLocale(to, "to").code} />
      </p>
      <p class="aside-text">
        {t("engines.tried", { model: <Name name={model ?? engine} />, characters: figure(characters) })}
      </p>
      <Findings findings={findings} />
    </div>
  );
}

function cellsOf({ name, type, url, model, locales, state, error, retry, used, ...engine }: EngineAnswer) {
  const most = engine.max_characters_per_day;
  const characters = figure(used.characters);
  return [
    <>
      <Code name={name} />
      <p class="aside-text">{url === null ? type : <Name name={url} />}</p>
    </>,
    model === null ? "" : <Code name={model} />,
    locales === null ? t("engines.all_of_them") : <Name name={locales.join(comma())} />,
    <>
      <span class={`mark ${statusMarks[state]}`}>{t(`engine.${state}`)}</span>
      {error !== null && (
        <p class="aside-text">
          <Name name={error} />
        </p>
      )}
    </>,
    most === null ? characters : t("engines.of", { used: characters, most: figure(most) }),
    <TimeOf at={retry ?? undefined} />,
  ];
}

const path = "/team/engines";

export const enginePages: readonly PageRoute[] = [
  { kind: "team", path, needs: needsOf(engineOperations), handler: (request) => show(request) },
  ...operationForms({
    ...enginePage,
    show: (request, submitted) => show(request, submitted),
    editing: async (request, wanted) => {
      const entity = (await enginesOf(request)).find(({ name }) => name === wanted);
      return entity && { entity, offers: offersOf(request.session.caller) };
    },
    done: async ({ verb }, answer, request) => {
      const { link, form, param } = request;
      if (verb === "try") {
        const sent = writtenState(actionPath(enginePage, param("engine")), form);
        return show(request, sent, engineTrial.parse(answer));
      }
      return { to: link(["team", "engines"]), notice: verb === "delete" ? "deleted" : "saved" };
    },
  }),
];
