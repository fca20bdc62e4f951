import type { ProxyRule } from "@api";
import { Button } from "@patternfly/react-core";
import { ArrowDownIcon, ArrowUpIcon, GripVerticalIcon } from "@patternfly/react-icons";
import { type RowAction, StatusLabel } from "@ui";
import { RowMenu } from "@ui/RowMenu";
import { TickBox } from "@ui/TickBox";
import { useTranslation } from "@ui/translation";
import type { DragEvent } from "react";
import { PoolLink } from "./PoolLink";

interface Props {
	rule: ProxyRule;
	place: number;
	last: boolean;
	/** It is the one being dragged. */
	held: boolean;
	actions: RowAction[] | undefined;
	/** undefined where rules are not ticked. */
	ticked: boolean | undefined;
	/** range: all from the last one that was ticked. */
	onTick: (range: boolean) => void;
	/** Takes it to another place; without it the order is only shown. */
	onMove: ((to: number) => void) | undefined;
	onDrag: () => void;
	onOver: (event: DragEvent) => void;
	onDrop: () => void;
}

/** RuleItem is one rule with all the ways to move it. */
export function RuleItem({ rule, place, last, held, actions, ticked, onTick, onMove, ...drag }: Props) {
	const { t } = useTranslation("proxy");
	const { t: words } = useTranslation("ui");
	const path = rule.path_prefix;
	return (
		<li
			data-held={held}
			draggable={Boolean(onMove)}
			onDragStart={(event) => {
				event.dataTransfer.effectAllowed = "move";
				event.dataTransfer.setData("text/plain", path);
				drag.onDrag();
			}}
			onDragOver={drag.onOver}
			onDrop={(event) => event.preventDefault()}
			onDragEnd={drag.onDrop}
		>
			{ticked !== undefined && (
				<TickBox label={words("bulk.one", { name: path })} ticked={ticked} onTick={(_, range) => onTick(range)} />
			)}
			<span className="gw-rules-place">
				{onMove && <GripVerticalIcon aria-hidden="true" className="gw-rules-grip" />}
				{place + 1}
			</span>
			<code className="gw-mono gw-rules-path" title={path}>
				{path}
			</code>
			<span className="gw-rules-pool">
				<PoolLink id={rule.backend_id} />
				{!rule.active && <StatusLabel status="neutral">{t("site.off")}</StatusLabel>}
			</span>
			<span className="gw-rules-moves">
				{onMove && (
					<>
						<Button
							variant="plain"
							icon={<ArrowUpIcon />}
							aria-label={t("rule.up", { path })}
							isDisabled={place === 0}
							onClick={() => onMove(place - 1)}
						/>
						<Button
							variant="plain"
							icon={<ArrowDownIcon />}
							aria-label={t("rule.down", { path })}
							isDisabled={last}
							onClick={() => onMove(place + 1)}
						/>
					</>
				)}
				{actions && <RowMenu items={actions} label={t("rule.actions", { path })} />}
			</span>
		</li>
	);
}
