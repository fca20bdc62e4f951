import type { Plan } from "@api";
import { Button } from "@patternfly/react-core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../Dialog";
import { FileDiffs } from "./FileDiffs";

/** PlanDialog shows what a change would do to the daemons' files; nothing has changed yet. */
export default function PlanDialog({ plan, onClose }: { plan: Plan; onClose: () => void }) {
	const { t } = useTranslation("ui");
	const files = plan.files.filter((file) => file.diff !== "");
	const words = files.length > 0 ? "change.planText" : plan.rows.length > 0 ? "change.planRows" : "change.planNothing";
	return (
		<Dialog
			title={t("change.plan")}
			description={t(words)}
			size="medium"
			className="gw-plan"
			focus=".gw-plan .pf-v6-c-modal-box__footer button"
			onClose={onClose}
			footer={<Button onClick={onClose}>{t("close")}</Button>}
		>
			<FileDiffs files={files} />
		</Dialog>
	);
}
