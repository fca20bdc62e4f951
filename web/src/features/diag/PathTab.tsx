import { type DiagPathInput, diagPath, type ProbePath } from "@api";
import { zDiagPathInput } from "@api/schemas";
import { type Field, formatNumber, PropertyList, SchemaForm, type Status, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { factsOf, type PathStep, stepsOf } from "./path";

const fields: Field[] = [
	{ name: "target", focus: true, autoComplete: "off" },
	{ name: "port", narrow: true, initial: 443 },
	{ name: "source", autoComplete: "off" },
	{ name: "tls", initial: true },
];

/** PathTab follows a connection from its name to its certificate, and shows where it breaks. */
export function PathTab() {
	const { t } = useTranslation("diag");
	const [result, setResult] = useState<ProbePath>();
	const send = async (body: DiagPathInput) => {
		setResult(undefined);
		return (await diagPath({ body })).data;
	};
	return (
		<>
			<div className="gw-panel gw-settings">
				<SchemaForm<DiagPathInput, ProbePath>
					schema={zDiagPathInput}
					ns="diag/path"
					fields={fields}
					guard={false}
					submit={send}
					onDone={setResult}
					submitLabel={t("path.submit")}
					wide
				/>
			</div>
			<div role="status">{result && <Steps path={result} />}</div>
		</>
	);
}

function Steps({ path }: { path: ProbePath }) {
	const { t } = useTranslation("diag");
	const steps = stepsOf(path);
	const stop = steps.find(({ step }) => step.problem);
	const broken = stop?.step.state === "broken";
	return (
		<section className="gw-diag" aria-label={t("path.steps")}>
			<p>
				<StatusLabel status={broken ? "danger" : stop ? "neutral" : "success"}>
					{stop ? t(broken ? "path.brokenAt" : "path.stoppedAt", { step: t(`path.step.${stop.id}`) }) : t("path.whole")}
				</StatusLabel>{" "}
				<span className="gw-subtle">{t("took", { seconds: formatNumber(path.duration_ms / 1000, 1) })}</span>
			</p>
			<ol className="gw-diag-steps">
				{steps.map((one) => (
					<OneStep key={one.id} {...one} path={path} />
				))}
			</ol>
		</section>
	);
}

const looks: Record<string, Status> = { ok: "success", broken: "danger" };

function OneStep({ id, step, path }: PathStep & { path: ProbePath }) {
	const { t } = useTranslation("diag");
	return (
		<li data-state={step.state}>
			<h2>
				{t(`path.step.${id}`)}{" "}
				<StatusLabel status={looks[step.state] ?? "neutral"}>{t(`path.state.${step.state}`)}</StatusLabel>{" "}
				{(step.state === "ok" || step.state === "broken") && (
					<span className="gw-subtle">{t("path.took", { ms: formatNumber(step.duration_ms) })}</span>
				)}
			</h2>
			{step.problem && (
				<p>
					{t(`path.problem.${step.problem}`)} {step.problem !== "dropped" && step.error && <code>{step.error}</code>}
				</p>
			)}
			<PropertyList items={factsOf(id, path.steps, t)} />
		</li>
	);
}
