import { StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import type { Answer, Document } from "./openapi";
import { SchemaTable } from "./SchemaTable";

/** Answers are what may come back: the good ones in full, the refusals in one line. */
export function Answers({ document, answers }: { document: Document; answers: Answer[] }) {
	const { t } = useTranslation("reference");
	const good = answers.filter(({ status }) => Number(status) < 400);
	const bad = answers.filter(({ status }) => Number(status) >= 400);
	return (
		<>
			{good.map(({ status, description, schema, headers }) => (
				<div key={status} className="gw-ref-answer">
					<p>
						<StatusLabel status="success">{status}</StatusLabel> {description}
						{headers.map((name) => (
							<code key={name} className="gw-ref-type">
								{name}
							</code>
						))}
					</p>
					{schema && <SchemaTable document={document} schema={schema} label={t("answerOf", { status })} />}
				</div>
			))}
			{bad.length > 0 && (
				<details className="gw-ref-refusals">
					<summary>{t("refusals")}</summary>
					<ul>
						{bad.map(({ status, description }) => (
							<li key={status}>
								<code>{status}</code> {description}
							</li>
						))}
					</ul>
					{bad[0]?.schema && <SchemaTable document={document} schema={bad[0].schema} label={t("refusals")} />}
				</details>
			)}
		</>
	);
}
