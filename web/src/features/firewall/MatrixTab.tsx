import type { FirewallMatrix } from "@api";
import { ShieldAltIcon } from "@patternfly/react-icons";
import { EmptyState, Link, Loaded } from "@ui";
import { useTranslation } from "react-i18next";
import { any, fieldsOf, type Look, sidesOf } from "./matrix";
import { useMatrix } from "./requests";

const looks: Look[] = ["accept", "mixed", "deny", "default"];

/** MatrixTab is the policy as a picture: from each zone to each other, and what is decided there. */
export default function MatrixTab() {
	const { t } = useTranslation("firewall");
	const query = useMatrix();
	return (
		<Loaded query={query} height="20rem">
			{(matrix) =>
				matrix.zones.length === 0 ? (
					<EmptyState title={t("matrix.empty")} icon={ShieldAltIcon}>
						{t("matrix.emptyText")}
					</EmptyState>
				) : (
					<>
						<p className="gw-fw-lead">{t("matrix.lead")}</p>
						<Grid matrix={matrix} />
						<ul className="gw-fw-legend" aria-label={t("matrix.legend")}>
							{looks.map((look) => (
								<li key={look} data-look={look}>
									{t(`matrix.look.${look}`)}
								</li>
							))}
						</ul>
					</>
				)
			}
		</Loaded>
	);
}

function Grid({ matrix }: { matrix: FirewallMatrix }) {
	const { t } = useTranslation("firewall");
	const field = fieldsOf(matrix.cells);
	const sides = sidesOf(matrix.zones);
	const from = (zone: string) => (zone === any ? t("zone.any") : zone);
	const to = (zone: string) => (zone === any ? t("matrix.gateway") : zone);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section className="gw-fw-matrix" aria-label={t("tab.matrix")} tabIndex={0}>
			<table>
				<thead>
					<tr>
						<th scope="col">{t("matrix.corner")}</th>
						{sides.map((dst) => (
							<th key={dst} scope="col">
								{to(dst)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{sides.map((src) => (
						<tr key={src}>
							<th scope="row">{from(src)}</th>
							{sides.map((dst) => {
								const { look, own, more } = field(src, dst);
								return (
									<td key={dst} data-look={look}>
										<Link to="/firewall" search={{ src, dst }}>
											<span>{t(`matrix.short.${look}`)}</span>
											<small>
												{t("matrix.rules", { count: own })}
												{more > 0 && ` ${t("matrix.more", { count: more })}`}
											</small>
											<span className="pf-v6-screen-reader">{t("matrix.way", { from: from(src), to: to(dst) })}</span>
										</Link>
									</td>
								);
							})}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}
