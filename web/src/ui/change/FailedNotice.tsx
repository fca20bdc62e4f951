import type { Outcome } from "@api";
import { useEffect, useRef, useState } from "react";
import { BusyButton } from "../BusyButton";
import { Notice } from "../Notice";
import { serviceName } from "../service";
import { useTranslation } from "../translation";
import { reasonOf, undo } from "./outcome";

interface Props {
	component: string;
	outcome: Outcome;
	/** The change was reverted. */
	onUndone: () => void;
}

/** FailedNotice says that the daemon did not take a change, why, and the ways out; of one that goes back by itself there are none to choose. */
export function FailedNotice({ component, outcome, onUndone }: Props) {
	const { t } = useTranslation("ui");
	const [busy, setBusy] = useState(false);
	const place = useRef<HTMLDivElement>(null);
	// Whoever saved at the end of a long form would not see it: the form looks saved.
	useEffect(() => {
		place.current?.scrollIntoView?.({ block: "nearest" });
		place.current?.focus({ preventScroll: true });
	}, []);
	const back = async () => {
		setBusy(true);
		const done = await undo(outcome.change);
		setBusy(false);
		if (done) onUndone();
	};
	return (
		<div ref={place} tabIndex={-1}>
			<Notice
				kind="danger"
				title={t(outcome.reverts ? "change.reverts" : "change.failed", { name: serviceName(component) })}
			>
				<p>{reasonOf(outcome)}</p>
				{outcome.reverts || (
					<>
						<p>{t("change.wayOut")}</p>
						<BusyButton
							className="gw-failed-undo"
							variant="secondary"
							size="sm"
							busy={busy}
							onClick={() => void back()}
						>
							{t("change.undo")}
						</BusyButton>
					</>
				)}
			</Notice>
		</div>
	);
}
