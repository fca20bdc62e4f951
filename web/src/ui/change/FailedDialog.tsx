import type { Outcome } from "@api";
import { Button } from "@patternfly/react-core";
import { Dialog } from "../Dialog";
import { useTranslation } from "../translation";
import { FailedNotice } from "./FailedNotice";

interface Props {
	title: string;
	component: string;
	outcome: Outcome;
	onClose: () => void;
}

/** FailedDialog takes the place of a form whose change was stored but is not live. */
export function FailedDialog({ title, component, outcome, onClose }: Props) {
	const { t } = useTranslation("ui");
	return (
		<Dialog
			title={title}
			onClose={onClose}
			footer={<Button onClick={onClose}>{t(outcome.reverts ? "close" : "change.keepFailed")}</Button>}
		>
			<FailedNotice component={component} outcome={outcome} onUndone={onClose} />
		</Dialog>
	);
}
