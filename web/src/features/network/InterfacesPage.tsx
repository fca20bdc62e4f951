import "./network.css";
import { useCan, useStates } from "@api";
import { Button } from "@patternfly/react-core";
import { Notice, Page, ProblemNotice, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { useFreeLinks } from "./choices";
import { InterfaceList } from "./InterfaceList";
import { useInterfaces, useLinks } from "./requests";
import { StackView } from "./StackView";
import { countsOf } from "./state";

/** InterfacesPage is the box's own legs: drawn as they stand on each other, and as a list. */
export default function InterfacesPage() {
	const { t } = useTranslation("network");
	const rows = useInterfaces();
	const links = useLinks();
	const stateOf = useStates("network_interface");
	const counts = countsOf((rows ?? []).map(({ id }) => stateOf(id)?.state ?? "up"));
	const words = counts.map(({ state, count }) => t(`count.${state}`, { count })).join(", ");
	return (
		<Page title={t("link.title")} description={words || t("link.lead")}>
			<ProblemNotice service="network" component="network" />
			<div className="gw-net-parts">
				<Free />
				<StackView rows={rows ?? none} links={links} />
				<InterfaceList links={links} />
			</div>
		</Page>
	);
}

const none: never[] = [];

/** Free offers the kernel's interfaces that are not configured: no rule is about them but those for any zone. */
function Free() {
	const { t } = useTranslation("network");
	const admin = useCan("admin");
	const [, set] = useUrlState();
	const free = useFreeLinks();
	if (!admin || free.length === 0) return null;
	return (
		<Notice kind="info" title={t("link.free", { count: free.length })}>
			<div className="gw-net-chips">
				{free.slice(0, 12).map((name) => (
					<Button
						key={name}
						variant="secondary"
						size="sm"
						onClick={() => set({ do: "create", id: name }, { push: true })}
					>
						{t("link.place", { name })}
					</Button>
				))}
			</div>
		</Notice>
	);
}
