import type { ProbeResult } from "@api";
import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import { formatNumber, Link, Page, SchemaForm, StatusLabel, UrlTabs } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import "./diag.css";
import { PathTab } from "./PathTab";
import { type Tool, tools } from "./tools";

/** DiagPage tries from this node what somebody wants to know. */
export default function DiagPage() {
	const { t } = useTranslation("diag");
	return (
		<Page
			title={t("title")}
			description={t("lead")}
			actions={<Link to="/diagnostics/capture">{t("capture.title")}</Link>}
		>
			<UrlTabs
				label={t("tools")}
				tabs={[
					...tools.map((tool) => ({
						id: tool.id,
						title: t(`${tool.id}.title`),
						content: tool.also ? (
							<Both key={tool.id} tools={[tool, tool.also]} />
						) : (
							<ToolTab key={tool.id} tool={tool} />
						),
					})),
					{ id: "path", title: t("path.title"), content: <PathTab key="path" /> },
				]}
			/>
			<SupportBundle />
		</Page>
	);
}

/** bundle is where the browser gets it from. */
const bundle = "/api/v1/diagnostics/support-bundle";

/** SupportBundle is for whoever cannot find it out alone. It says what is sent away before it is. */
function SupportBundle() {
	const { t } = useTranslation("diag");
	return (
		<section className="gw-diag" aria-labelledby="gw-diag-support">
			<h2 id="gw-diag-support">{t("support.title")}</h2>
			<p>{t("support.text")}</p>
			<p className="gw-diag-actions">
				<Button variant="secondary" component="a" href={bundle} download icon={<DownloadIcon />}>
					{t("support.download")}
				</Button>
			</p>
		</section>
	);
}

/** Both are two tools that belong together, one of them at a time. */
function Both({ tools }: { tools: Tool[] }) {
	const { t } = useTranslation("diag");
	return (
		<UrlTabs
			label={t("tools")}
			param="tool"
			tabs={tools.map((tool) => ({
				id: tool.id,
				title: t(`${tool.id}.title`),
				content: <ToolTab key={tool.id} tool={tool} />,
			}))}
		/>
	);
}

function ToolTab({ tool }: { tool: Tool }) {
	const { t } = useTranslation("diag");
	const [result, setResult] = useState<ProbeResult>();
	const send = async (body: never) => {
		setResult(undefined);
		return (await tool.send(body)).data;
	};
	return (
		<>
			<div className="gw-panel gw-settings">
				<SchemaForm
					schema={tool.schema}
					ns={tool.ns}
					fields={tool.fields}
					guard={false}
					submit={send}
					onDone={setResult}
					submitLabel={t(`${tool.id}.submit`)}
					wide
				/>
			</div>
			<div role="status">{result && <Output result={result} />}</div>
		</>
	);
}

const looks = ["success", "warning", "danger"] as const;

function Output({ result }: { result: ProbeResult }) {
	const { t } = useTranslation("diag");
	return (
		<section className="gw-diag" aria-label={t("output")}>
			<p>
				<StatusLabel status={looks[result.exit_status] ?? "danger"}>{t(`result.${result.exit_status}`)}</StatusLabel>{" "}
				<span className="gw-subtle">{t("took", { seconds: formatNumber(result.duration_ms / 1000, 1) })}</span>
			</p>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<pre tabIndex={0}>{result.output}</pre>
		</section>
	);
}
