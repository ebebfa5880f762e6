/** The schemas that GitHub publishes for the metadata of actions and for workflows. */
import { readFileSync } from "node:fs";
import { ACTION_ROOT } from "@actions/workflow-parser/actions/action-constants";
import { JSONObjectReader } from "@actions/workflow-parser/templates/json-object-reader";
import { TemplateSchema } from "@actions/workflow-parser/templates/schema/index";
import {
  TemplateContext,
  TemplateValidationErrors,
} from "@actions/workflow-parser/templates/template-context";
import { readTemplate } from "@actions/workflow-parser/templates/template-reader";
import { NoOperationTraceWriter } from "@actions/workflow-parser/templates/trace-writer";
import { WORKFLOW_ROOT } from "@actions/workflow-parser/workflows/workflow-constants";
import { YamlObjectReader } from "@actions/workflow-parser/workflows/yaml-object-reader";
import { join } from "node:path";
import { root } from "./pages.ts";

const roots = { action: ACTION_ROOT, workflow: WORKFLOW_ROOT } as const;

/** What is wrong with an action or a workflow, one line each. The package's own functions load their schemas as Node cannot. */
export function githubFaults(kind: keyof typeof roots, text: string): readonly string[] {
  const path = join(root, `node_modules/@actions/workflow-parser/dist/${kind}-v1.0.min.json`);
  const schema = TemplateSchema.load(new JSONObjectReader(undefined, readFileSync(path, "utf8")));
  const context = new TemplateContext(new TemplateValidationErrors(), schema, new NoOperationTraceWriter());
  const file = context.getFileId(`${kind}.yml`);
  const reader = new YamlObjectReader(file, text);
  for (const { message, range } of reader.errors) context.error(file, message, range);
  if (reader.errors.length === 0) readTemplate(context, roots[kind], reader, file);
  return context.errors.getErrors().map(({ message }) => message);
}
