import "./change.css";
import type { Plan } from "@api";
import { FormSelect, FormSelectOption, Switch, TextInput } from "@patternfly/react-core";
import { FileAltIcon } from "@patternfly/react-icons";
import { Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../BusyButton";
import { later } from "../later";
import { ApplyProgress } from "./ApplyProgress";
import { type Said, times, waits } from "./ask";

const PlanDialog = later("plan of a change", () => import("./PlanDialog"));

interface Props {
	component: string;
	/** The change as it is typed now can cut the administrator off. */
	risky: boolean;
	said: Said;
	onSay: (said: Said) => void;
	/** Asks what would change; undefined when the form is not valid, and says so itself. */
	plan: () => Promise<Plan | undefined>;
	/** The change is on its way. */
	busy: boolean;
}

/** ChangeBar stands at the end of every form that configures a daemon: what will change, undo by itself, why. */
export function ChangeBar({ component, risky, said, onSay, plan, busy }: Props) {
	const { t } = useTranslation("ui");
	const id = useId();
	const [shown, setShown] = useState<Plan>();
	const [looking, setLooking] = useState(false);
	const look = async () => {
		setLooking(true);
		setShown(await plan().finally(() => setLooking(false)));
	};
	if (busy) return <ApplyProgress component={component} />;
	const on = waits(said, risky);
	return (
		<fieldset className="gw-changebar" aria-label={t("change.bar")}>
			<div className="gw-changebar-row">
				<Switch
					id={`${id}confirm`}
					label={on ? t("change.confirmOn") : t("change.confirmOff")}
					aria-label={on ? t("change.confirmOn") : t("change.confirmOff")} // a description would hide the label
					isChecked={on}
					aria-describedby={risky ? `${id}risky` : undefined}
					onChange={(_, confirm) => onSay({ ...said, confirm })}
				/>
				{on && (
					<FormSelect
						className="gw-changebar-time"
						aria-label={t("change.within")}
						value={said.seconds}
						onChange={(_, value) => onSay({ ...said, seconds: Number(value) })}
					>
						{times.map((n) => (
							<FormSelectOption
								key={n}
								value={n}
								label={n < 120 ? t("change.seconds", { count: n }) : t("change.minutes", { count: n / 60 })}
							/>
						))}
					</FormSelect>
				)}
			</div>
			{risky && (
				<p id={`${id}risky`} className="gw-hint">
					{t("change.risky")}
				</p>
			)}
			<div className="gw-changebar-row">
				<TextInput
					aria-label={t("change.reason")}
					placeholder={t("change.reasonHint")}
					maxLength={200}
					value={said.reason}
					onChange={(_, reason) => onSay({ ...said, reason })}
				/>
				<BusyButton variant="secondary" icon={<FileAltIcon />} busy={looking} onClick={() => void look()}>
					{t("change.plan")}
				</BusyButton>
			</div>
			<Suspense fallback={null}>{shown && <PlanDialog plan={shown} onClose={() => setShown(undefined)} />}</Suspense>
		</fieldset>
	);
}
