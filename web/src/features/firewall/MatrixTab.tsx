import type { FirewallCell, FirewallMatrix } from "@api";
import { ShieldAltIcon } from "@patternfly/react-icons";
import { EmptyState, Loaded } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { CellDialog } from "./CellDialog";
import { cellsOf, gateway, remarkOf, wordsOf } from "./matrix";
import { useMatrix } from "./requests";

/** From so many zones on the cells are narrow, so that more of them are in sight. */
const dense = 10;

const reaches = ["all", "some", "none"];

/** MatrixTab is the policy as a picture: how much of each zone's traffic reaches every zone, and the gateway. */
export default function MatrixTab() {
	const { t } = useTranslation("firewall");
	const query = useMatrix();
	const [shown, show] = useState<FirewallCell>();
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
						<Grid matrix={matrix} onShow={show} />
						<ul className="gw-fw-legend" aria-label={t("matrix.legend")}>
							{reaches.map((reach) => (
								<li key={reach} data-reach={reach}>
									{t(`matrix.meaning.${reach}`)}
								</li>
							))}
						</ul>
						<p className="gw-fw-rest">{t("matrix.rest")}</p>
						{shown && <CellDialog cell={shown} onClose={() => show(undefined)} />}
					</>
				)
			}
		</Loaded>
	);
}

function Grid({ matrix, onShow }: { matrix: FirewallMatrix; onShow: (cell: FirewallCell) => void }) {
	const { t } = useTranslation("firewall");
	const cell = cellsOf(matrix.cells);
	const zones = matrix.zones.map((zone) => zone.name);
	const to = (zone: string) => (zone === gateway ? t("matrix.gateway") : zone);
	return (
		<section
			className="gw-fw-matrix"
			data-wide
			data-dense={zones.length >= dense}
			aria-label={t("tab.matrix")}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
			tabIndex={0}
		>
			<table>
				<thead>
					<tr>
						<th scope="col">{t("matrix.corner")}</th>
						{[...zones, gateway].map((dst) => (
							<th key={dst} scope="col" title={to(dst)}>
								{to(dst)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{zones.map((src) => (
						<tr key={src}>
							<th scope="row">{src}</th>
							{[...zones, gateway].map((dst) => (
								<CellField
									key={dst}
									cell={cell(src, dst)}
									way={t("matrix.way", { from: src, to: to(dst) })}
									onShow={onShow}
								/>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

interface FieldProps {
	cell: FirewallCell | undefined;
	way: string;
	onShow: (cell: FirewallCell) => void;
}

function CellField({ cell, way, onShow }: FieldProps) {
	const { t } = useTranslation("firewall");
	if (!cell) return <td />;
	return (
		<td data-reach={cell.reach} data-idle={Boolean(cell.reason)}>
			<button type="button" onClick={() => onShow(cell)}>
				<span>{wordsOf(cell, t)}</span>
				<small>{remarkOf(cell, t)}</small>
				<span className="pf-v6-screen-reader">{way}</span>
			</button>
		</td>
	);
}
