/** The engines of a team with their states, and what they were asked for today. */
import { z } from "zod";
import type { EngineAnswer } from "../../../api/engines.ts";
import { listEngines } from "../../../service/admin/engines.ts";
import { engineOperations, toEngine } from "../../operations/engines.ts";
import { check } from "../../schemas/schemas.ts";
import { offersOf } from "../parts/member-fields.ts";
import { Listing, teamPage, ListWithForm } from "../parts/navigation.tsx";
import { needsOf, OperationButtons, OperationForm, operationForms } from "../parts/operation-form.tsx";
import { Code, Name, TimeOf } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { comma, figure, t } from "../texts/texts.ts";

const statusMarks: Readonly<Record<EngineAnswer["state"], string>> = {
  ready: "translated",
  down: "failing",
  spent: "waiting",
  no_key: "failing",
};

/** `change` names the engine that the form edits. */
const enginesQuery = z.object({ change: z.string().optional() });

const enginePage = { implemented: engineOperations, path: "team/engines" };

async function show(request: TeamRequest, submitted?: FormState): Promise<View> {
  const { storage, session, query } = request;
  const { team } = session.caller;
  const engines = (await listEngines(storage, team.name)).map(toEngine);
  const { change } = check(enginesQuery, submitted?.values ?? query, "query");
  const edited = engines.find(({ name }) => name === change);
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
        <OperationForm
          page={enginePage}
          offers={offersOf(session.caller)}
          edited={edited}
          title={edited && t("engines.change", { name: edited.name })}
          submitted={submitted}
        />
      }
    />,
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
    done: async ({ verb }, _, request) => ({
      to: request.link(["team", "engines"]),
      notice: verb === "delete" ? "deleted" : "saved",
    }),
  }),
];
