import { type FirewallAssertion, useStates } from "@api";
import { CheckCircleIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, storedInput, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { assertions } from "./resource";
import type { Served } from "./service";
import { noIds, useNames } from "./useNames";

type Assertion = Served<FirewallAssertion>;

/** AssertionsTab is what must stay true whatever the rules are: a change that breaks one is refused. */
export default function AssertionsTab() {
	const { t } = useTranslation("firewall");
	const stateOf = useStates("assertion");
	const bulk = useSwitchBulk<"enabled", Assertion>("enabled", (one) => storedInput(one, "service_kind"));
	const columns: Column<Assertion>[] = [
		{ key: "name", title: t("assertion.field.name"), sortable: true, width: 25 },
		{ key: "expect", title: t("assertion.says"), sortable: true, width: 45, cell: (one) => <Words of={one} /> },
		{ key: "description", title: t("assertion.field.description"), width: 20 },
		{
			key: "enabled",
			title: t("assertion.state"),
			sortable: true,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="holds" />,
		},
	];
	return (
		<>
			<p className="gw-fw-lead">{t("assertion.lead")}</p>
			<ResourceSection
				resource={assertions}
				ns="firewall/assertion"
				icon={CheckCircleIcon}
				columns={columns}
				bulk={bulk}
				defaultSort="name"
				form={() => import("./assertionForm")}
			/>
		</>
	);
}

/** Words is an assertion as a sentence. */
function Words({ of }: { of: Assertion }) {
	const { t } = useTranslation("firewall");
	const service = of.service_object_id ? [of.service_object_id] : [];
	const group = of.service_group_id ? [of.service_group_id] : [];
	const names = useNames({ ...noIds, service, serviceGroup: group });
	const zone = (name: string) => (name === "any" ? t("zone.anyShort") : name === "gateway" ? t("zone.gateway") : name);
	const side = (name: string, cidr: string) => (cidr ? `${zone(name)} (${cidr})` : zone(name));
	const id = of.service_object_id ?? of.service_group_id;
	const words = t(`assertion.words.${of.expect}`, {
		from: side(of.src_zone, of.src_cidr),
		to: side(of.dst_zone, of.dst_cidr),
		what: id ? (names.get(id) ?? "…") : t("rule.everything"),
	});
	return <span title={words}>{words}</span>;
}
