import { useCurrent } from "@api";
import { Skeleton, Switch } from "@patternfly/react-core";
import { ErrorState, StatusLabel, toast, UnknownState, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import type { FlagName } from "./flags";
import { useFlag, useSetFlag } from "./requests";

/** FlagRow is one switch of the node: it saves at once, and the toast can undo it. */
export function FlagRow({ name, admin }: { name: FlagName; admin: boolean }) {
	const { t } = useTranslation("system");
	const { t: words } = useTranslation("ui");
	const text = useErrorText();
	const query = useFlag(name, 30);
	const { data, error, refetch } = query;
	const known = useCurrent(query) !== undefined;
	const { mutateAsync, isPending, variables } = useSetFlag(name);
	const set = async (on: boolean, undo?: () => void) => {
		try {
			await mutateAsync(on);
			toast.success(t(`flag.${name}.${on ? "turnedOn" : "turnedOff"}`), { undo });
		} catch (failure) {
			toast.danger(t("failed"), { detail: text(failure) });
		}
	};
	if (!data && error) return <ErrorState error={error} retry={() => void refetch()} />;
	return (
		<div className="gw-system-flag">
			<div>
				<h3 id={`flag-${name}`}>{t(`flag.${name}.title`)}</h3>
				<p id={`flag-${name}-text`}>{t(`flag.${name}.text`)}</p>
			</div>
			{!data && <Skeleton width="3rem" screenreaderText={words("loading")} />}
			{data && admin && (
				<Switch
					id={`flag-${name}-switch`}
					aria-labelledby={`flag-${name}`}
					aria-describedby={`flag-${name}-text`}
					isChecked={isPending ? variables : data.enabled}
					isDisabled={isPending}
					onChange={(_, on) => void set(on, () => void set(!on))}
				/>
			)}
			{data && !admin && !known && <UnknownState />}
			{data && !admin && known && <StatusLabel status="neutral">{t(data.enabled ? "on" : "off")}</StatusLabel>}
		</div>
	);
}
