import { Button } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { BusyButton } from "./BusyButton";
import { useTranslation } from "./translation";

interface Props {
	/** Id of the form, which it may stand outside of. */
	form: string;
	busy: boolean;
	label: string;
	block?: boolean;
	/** Stays at the end of the window while the fields scroll. */
	sticky?: boolean;
	bar?: ReactNode;
	action?: ReactNode;
	onCancel?: () => void;
}

/** FormFooter is the end of a form: what is said about the change, and the buttons. */
export function FormFooter({ form, busy, label, block, sticky, bar, action, onCancel }: Props) {
	const { t } = useTranslation("ui");
	return (
		<div className="gw-form-foot" data-sticky={sticky}>
			{bar}
			<div className="gw-form-buttons">
				<BusyButton type="submit" form={form} isBlock={block} busy={busy}>
					{label}
				</BusyButton>
				{action}
				{onCancel && (
					<Button variant="link" onClick={onCancel}>
						{t("cancel")}
					</Button>
				)}
			</div>
		</div>
	);
}
