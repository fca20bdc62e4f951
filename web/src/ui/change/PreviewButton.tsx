import { FileAltIcon } from "@patternfly/react-icons";
import { useState } from "react";
import { BusyButton } from "../BusyButton";
import { useTranslation } from "../translation";

interface Props {
	/** What would change is on screen. */
	shown: boolean;
	/** Asks what would change. */
	onLook: () => Promise<void>;
	onBack: () => void;
	isDisabled?: boolean;
	/** Leads back to a form, rather than hiding what stands below. */
	form?: boolean;
}

/** PreviewButton shows what a change would do, and leads back. */
export function PreviewButton({ shown, onLook, onBack, isDisabled, form = false }: Props) {
	const { t } = useTranslation("ui");
	const [looking, setLooking] = useState(false);
	const look = () => {
		setLooking(true);
		void onLook().finally(() => setLooking(false));
	};
	const back = form ? t("change.back") : t("change.hide");
	return (
		<BusyButton
			variant="secondary"
			icon={shown ? undefined : <FileAltIcon />}
			isDisabled={isDisabled}
			busy={looking}
			onClick={shown ? onBack : look}
		>
			{shown ? back : t("change.plan")}
		</BusyButton>
	);
}
