import "./change.css";
import { FormSelect, FormSelectOption, Switch, TextInput } from "@patternfly/react-core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "../translation";
import { type Said, times, waits } from "./ask";

interface Props {
	/** The change as it is typed now can cut the administrator off. */
	risky: boolean;
	said: Said;
	onSay: (said: Said) => void;
	/** No daemon is concerned: it takes effect at once, and waits for nobody. */
	atOnce?: boolean;
	/** Id of the form that Enter sends, where these stand outside of it. */
	form?: string;
	/** Stands beside the reason. */
	children?: ReactNode;
}

/** ChangeFields is what can be said about a change: that it reverts by itself, and why it is made. */
export function ChangeFields({ risky, atOnce, said, onSay, form, children }: Props) {
	const { t } = useTranslation("ui");
	const id = useId();
	const on = waits(said, risky);
	return (
		<fieldset className="gw-changebar" aria-label={t("change.bar")}>
			{atOnce ? (
				<p className="gw-hint">{t("change.atOnce")}</p>
			) : (
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
			)}
			<div className="gw-changebar-row gw-changebar-reason">
				<TextInput
					form={form}
					aria-label={t("change.reason")}
					placeholder={t("change.reasonHint")}
					maxLength={200}
					value={said.reason}
					onChange={(_, reason) => onSay({ ...said, reason })}
				/>
				{children}
			</div>
			{risky && (
				<p id={`${id}risky`} className="gw-hint">
					{t("change.risky")}
				</p>
			)}
		</fieldset>
	);
}
