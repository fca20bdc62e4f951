import type { ProxyDomain, ProxyRule } from "@api";
import { RouteIcon } from "@patternfly/react-icons";
import { Csv, Loaded, ResourceSection, storedInput, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { PoolLink } from "./PoolLink";
import { rulesOf } from "./parts";
import { RuleList } from "./RuleList";
import { useRules } from "./requests";

/** RulesTab is which parts of a site lead elsewhere. The order matters, so it is a list and no table. */
export function RulesTab({ site }: { site: ProxyDomain }) {
	const { t } = useTranslation("proxy");
	const resource = useMemo(() => rulesOf(site.id), [site.id]);
	const query = useRules(site.id);
	const bulk = useSwitchBulk<"active", ProxyRule>("active", storedInput);
	return (
		<ResourceSection
			resource={resource}
			ns="proxy/rule"
			icon={RouteIcon}
			columns={[]}
			bulk={bulk}
			form={() => import("./ruleForm")}
			list={({ actions, bulk: given, create, empty }) => (
				<Loaded query={query} height="12rem">
					{(rules) =>
						rules.length === 0 ? (
							empty
						) : (
							<>
								<div className="gw-rules-head">
									<p className="gw-proxy-lead">{t("rule.order")}</p>
									<Csv name="routing-rules" rows={() => rules} />
									{create}
								</div>
								<RuleList site={site.id} resource={resource} rules={rules} actions={actions} bulk={given} />
								<p className="gw-rules-rest">
									{t("rule.rest")} <PoolLink id={site.backend_id} />
								</p>
							</>
						)
					}
				</Loaded>
			)}
		/>
	);
}
