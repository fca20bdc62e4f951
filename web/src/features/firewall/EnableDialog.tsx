import { useSave } from "@api";
import { ConfirmDialog, tell } from "@ui";
import { useTranslation } from "@ui/translation";
import { inputOf } from "./rule";
import { type Rule, rules } from "./rules";

/** EnableDialog asks before a rule is enabled that accepts everything: making one is asked for twice, too. */
export default function EnableDialog({ rule, onClose }: { rule: Rule; onClose: () => void }) {
	const { t } = useTranslation("firewall");
	const { mutateAsync: save } = useSave(rules);
	const enable = async () => {
		const { outcome } = await save({ row: rule, body: { ...inputOf(rule), enabled: true, sure: true } });
		tell(t("rule.saved", { name: rule.name }), "firewall", outcome);
	};
	return (
		<ConfirmDialog
			title={t("rule.enableTitle", { name: rule.name })}
			confirm={t("rule.turnOn")}
			danger
			onConfirm={enable}
			onClose={onClose}
		>
			<p>{t("rule.enableText")}</p>
		</ConfirmDialog>
	);
}
