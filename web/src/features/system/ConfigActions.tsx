import type { ChangeRendered, FaultWords } from "@api";
import { Button } from "@patternfly/react-core";
import { BusyButton, Notice, sentence, serverText, serviceName, useErrorText, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { resultsOf } from "./config";
import { useRenderConfigs } from "./requests";

/** ConfigActions are what an administrator does to the configuration as a whole, with how it went. */
export function ConfigActions() {
	const { t } = useTranslation("system");
	const text = useErrorText();
	const [, set] = useUrlState();
	const { mutate: render, isPending, data, error } = useRenderConfigs();
	return (
		<div className="gw-system-config-actions">
			<div>
				<BusyButton variant="secondary" busy={isPending} onClick={() => render()}>
					{t("render.button")}
				</BusyButton>
				<Button variant="secondary" onClick={() => set({ do: "reload" }, { push: true })}>
					{t("reload.title")}
				</Button>
			</div>
			<p className="gw-system-sub">{t("render.help")}</p>
			<div role="status">
				{error && (
					<Notice kind="danger" title={t("render.failed")}>
						{text(error)}
					</Notice>
				)}
				{data && <Result result={data} />}
			</div>
		</div>
	);
}

/** Result says of every component whether it is live, and otherwise why it is not. */
function Result({ result }: { result: ChangeRendered }) {
	const { t } = useTranslation("system");
	const bad = Object.keys(result.errors).length;
	return (
		<Notice
			kind={result.ok ? "success" : "danger"}
			title={result.ok ? t("render.ok") : t("render.notOk", { count: bad })}
		>
			<ul>
				{resultsOf(result).map(({ component, error }) => (
					<li key={component}>
						{serviceName(component)}:{" "}
						{error === undefined
							? t("components.standing.live")
							: reason(error, result.error_words?.[component], t("components.standing.failed"))}
					</li>
				))}
			</ul>
		</Notice>
	);
}

/** reason words an error; one without words is at least named. */
const reason = (error: string, words: FaultWords | undefined, unnamed: string) =>
	error ? sentence(serverText({ message: error, ...words })) : unnamed;
