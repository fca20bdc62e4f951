import { Alert, Button } from "@patternfly/react-core";
import { useTranslation } from "@ui/translation";
import { AccountlessNotice } from "./AdminStep";
import { requestOf, type Values } from "./form";
import type { Step } from "./steps";
import type { Trouble } from "./Wizard";

interface Props {
	values: Values;
	trouble: Trouble;
	onEdit: (step: Step) => void;
}

/** ReviewStep shows all answers once more, each with the way back to it. */
export function ReviewStep({ values, trouble, onEdit }: Props) {
	const { t } = useTranslation("setup");
	const { code, fqdn, acme, email } = requestOf(values);
	const directory = acme?.directory_url ?? t("review.usualDirectory");
	const rows: [Step, string[]][] = [
		["code", [code]],
		["name", [fqdn]],
		["certificates", acme ? [acme.email ?? "", directory] : [t("review.later")]],
		["admin", values.accountless ? [t("review.noAdmin")] : [email, t("review.password")]],
	];
	return (
		<>
			{trouble.messages.map((message) => (
				<Alert key={message} isInline variant="danger" isLiveRegion title={message} component="p" />
			))}
			<dl className="gw-steps-review">
				{rows.map(([step, lines]) => (
					<div key={step}>
						<dt>{t(`${step}.step`)}</dt>
						<dd>
							{lines.map((line) => (
								<span key={line}>{line}</span>
							))}
						</dd>
						<dd>
							<Button
								variant="link"
								isInline
								aria-label={t("review.editOf", { name: t(`${step}.step`) })}
								onClick={() => onEdit(step)}
							>
								{t("review.edit")}
							</Button>
						</dd>
					</div>
				))}
			</dl>
			{values.accountless && <AccountlessNotice />}
		</>
	);
}
