import { EyeIcon } from "@patternfly/react-icons";
import { type Status, StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";

const looks: Record<string, Status> = { accept: "success", drop: "danger", reject: "warning" };

interface Props {
	action: string;
	/** It happened already. */
	done?: boolean;
	logged?: boolean;
}

/** ActionLabel is what happens to a packet, in a word and a colour, and whether it is logged. */
export function ActionLabel({ action, done = false, logged = false }: Props) {
	const { t } = useTranslation("firewall");
	const word = action || "unknown";
	return (
		<span className="gw-fw-action">
			<StatusLabel status={looks[action] ?? "neutral"}>{done ? t(`done.${word}`) : t(`does.${word}`)}</StatusLabel>
			{logged && (
				<span className="gw-fw-logged" title={t("rule.logged")}>
					<EyeIcon aria-hidden="true" />
					<span className="pf-v6-screen-reader">{t("rule.logged")}</span>
				</span>
			)}
		</span>
	);
}
