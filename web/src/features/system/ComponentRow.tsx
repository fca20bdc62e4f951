import { type ApplyState, useStates } from "@api";
import { Switch } from "@patternfly/react-core";
import { StatusLabel, sentence, serverText, serviceName, Td, Time, Tr, toast, useErrorText } from "@ui";
import { stateReason } from "@ui/problemText";
import { useTranslation } from "@ui/translation";
import { diskOf, runningOf, standingLooks, standingOf } from "./components";
import { useKeepEdits } from "./requests";

interface Props {
	state: ApplyState;
	/** The component was looked at just now. */
	current: boolean;
	admin: boolean;
}

/** ComponentRow is one daemon's configuration, in words, with what is wrong with it. */
export function ComponentRow({ state, current, admin }: Props) {
	const { t } = useTranslation("system");
	const found = useStates("component")(state.component);
	const known = found?.state !== "unknown" && current;
	const standing = standingOf(state, known);
	return (
		<Tr>
			<Td dataLabel={t("column.service")}>
				<div>
					{serviceName(state.component)}
					<div className="gw-system-sub">
						{t("components.since")} <Time value={state.since} />
					</div>
					<Troubles state={state} held={known && state.stage === "held" && found ? stateReason(found) : ""} />
				</div>
			</Td>
			<Td dataLabel={t("column.state")}>
				<StatusLabel status={standingLooks[standing]}>{t(`components.standing.${standing}`)}</StatusLabel>
			</Td>
			<Td dataLabel={t("column.disk")}>{t(`components.disk.${diskOf(state, known)}`)}</Td>
			<Td dataLabel={t("column.running")}>{t(`components.running.${runningOf(state, known)}`)}</Td>
			<Td dataLabel={t("column.edits")} className="gw-wide-cell">
				{admin ? <EditsSwitch state={state} /> : t(state.keep_edits ? "components.keep" : "components.putBack")}
			</Td>
		</Tr>
	);
}

/** Troubles are the reason of a failure or of a wait, edited files, and what was left out. */
function Troubles({ state, held }: { state: ApplyState; held: string }) {
	const { t } = useTranslation("system");
	const lines = [
		...(held && !state.error && state.drift.length === 0 ? [held] : []),
		...(state.error ? [sentence(serverText({ message: state.error, ...state.error_words }))] : []),
		...state.problems.map((one) => `${one.subject}: ${sentence(serverText(one))}`),
	];
	const files = state.drift.join(", ");
	return (
		<>
			{lines.length > 0 && (
				<ul className="gw-system-troubles">
					{lines.map((line) => (
						<li key={line}>{line}</li>
					))}
				</ul>
			)}
			{files && (
				<div className="gw-system-sub">
					{t(state.keep_edits ? "components.edited" : "components.restored", { files })}
				</div>
			)}
		</>
	);
}

function EditsSwitch({ state }: { state: ApplyState }) {
	const { t } = useTranslation("system");
	const text = useErrorText();
	const { mutateAsync, isPending, variables } = useKeepEdits(state.component);
	const keep = isPending ? variables : state.keep_edits;
	const set = async (on: boolean, undo?: () => void) => {
		try {
			await mutateAsync(on);
			toast.success(t(on ? "components.keptToast" : "components.putBackToast"), { undo });
		} catch (error) {
			toast.danger(t("failed"), { detail: text(error) });
		}
	};
	return (
		<>
			<Switch
				id={`edits-${state.component}`}
				aria-label={t("components.label", { name: serviceName(state.component) })}
				label={t("components.keepThem")}
				isChecked={keep}
				isDisabled={isPending}
				onChange={(_, on) => void set(on, () => void set(!on))}
			/>
			<div className="gw-system-sub">{t(keep ? "components.keep" : "components.putBack")}</div>
		</>
	);
}
