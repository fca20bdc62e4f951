import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { FieldHint } from "@ui/FieldHint";
import { PasswordInput } from "@ui/PasswordInput";
import { useTranslation } from "@ui/translation";
import { unitText } from "@ui/units";
import { useEffect, useRef } from "react";

/** Times to choose from, in seconds. */
const times = [120, 300, 600, 1_800, 3_600];

interface Props {
	seconds: number;
	onSeconds: (seconds: number) => void;
	password: string;
	onPassword: (password: string) => void;
	/** Why the password was refused. */
	wrong?: string;
}

/** AgreeStep says what will happen, before it does, and asks who is at the screen. */
export function AgreeStep({ seconds, onSeconds, password, onPassword, wrong }: Props) {
	const { t } = useTranslation("backup");
	const field = useRef<HTMLInputElement>(null);
	useEffect(() => {
		if (wrong) field.current?.focus();
	}, [wrong]);
	return (
		<>
			<ul className="gw-backup-agree">
				{(["saved", "restart", "signIn", "undone"] as const).map((one) => (
					<li key={one}>{t(`agree.${one}`, { time: unitText("seconds", seconds) })}</li>
				))}
			</ul>
			<FormGroup label={t("agree.within")} fieldId="confirm-within">
				<FormSelect id="confirm-within" value={seconds} onChange={(_, chosen) => onSeconds(Number(chosen))}>
					{times.map((time) => (
						<FormSelectOption key={time} value={time} label={unitText("seconds", time)} />
					))}
				</FormSelect>
			</FormGroup>
			<FormGroup label={t("field.password")} fieldId="own-password" isRequired>
				<PasswordInput
					id="own-password"
					value={password}
					onChange={onPassword}
					autoComplete="current-password"
					isRequired
					ref={field}
					validated={wrong ? "error" : "default"}
					aria-describedby={wrong && "own-password-wrong"}
				/>
				{wrong && (
					<FieldHint id="own-password-wrong" wrong>
						{wrong}
					</FieldHint>
				)}
			</FormGroup>
		</>
	);
}
