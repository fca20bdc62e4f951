import type { SystemService } from "@api";
import { Switch } from "@patternfly/react-core";
import { toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { useToggle } from "./requests";
import { isOn } from "./services";

interface Props {
	service: SystemService;
	name: string;
}

/** ServiceSwitch turns a service on or off, at once and for good; the toast can undo it. */
export function ServiceSwitch({ service, name }: Props) {
	const { t } = useTranslation("system");
	const text = useErrorText();
	const { mutateAsync, isPending, variables } = useToggle();
	const set = async (on: boolean, undo?: () => void) => {
		try {
			await mutateAsync({ service: service.name, on });
			toast.success(t(on ? "toggle.on" : "toggle.off", { name }), { undo });
		} catch (error) {
			toast.danger(t("toggle.failed", { name }), { detail: text(error) });
		}
	};
	return (
		<Switch
			id={`switch-${service.name}`}
			aria-label={t("toggle.label", { name })}
			isChecked={isPending ? variables.on : isOn(service)}
			isDisabled={isPending}
			onChange={(_, on) => void set(on, () => void set(!on))}
		/>
	);
}
