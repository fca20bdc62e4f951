import { Button, type ButtonProps } from "@patternfly/react-core";
import { useTranslation } from "./translation";

type Props = Omit<ButtonProps, "isLoading" | "ref"> & { busy: boolean };

/** BusyButton cannot be pressed again, and turns, while what it began is under way. */
export function BusyButton({ busy, isDisabled, ...rest }: Props) {
	const { t } = useTranslation("ui");
	return (
		<Button
			{...rest}
			isDisabled={isDisabled || busy}
			isLoading={busy}
			spinnerAriaValueText={busy ? t("loading") : ""}
		/>
	);
}
