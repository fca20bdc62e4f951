import { strengthOf } from "./strength";
import { useTranslation } from "./translation";

/** StrengthHint shows how good a new password is while it is typed. */
export function StrengthHint({ password }: { password: string }) {
	const { t } = useTranslation("ui");
	const strength = strengthOf(password);
	return (
		<div className="gw-strength" data-strength={password === "" ? "none" : strength}>
			<div className="gw-strength-bars" aria-hidden="true">
				{[1, 2, 3, 4].map((n) => (
					<span key={n} className={n <= strength ? "gw-on" : undefined} />
				))}
			</div>
			<span role="status">{password === "" ? "" : t(`strength.${strength}`)}</span>
		</div>
	);
}
