import { useIdentity } from "@api";
import { Button } from "@patternfly/react-core";
import { useNavigate } from "@tanstack/react-router";
import { BarePage } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect, useRef } from "react";

/** DoneStep says that all is well, and offers a second factor to whoever wants one now. */
export function DoneStep() {
	const { t } = useTranslation("setup");
	const identity = useIdentity();
	const navigate = useNavigate();
	const primary = useRef<HTMLButtonElement>(null);
	useEffect(() => primary.current?.focus(), []);
	const secondFactor = () => void navigate({ to: "/account", search: { tab: "second-factor", do: "enrol" } as never });
	return (
		<BarePage title={t("done.title")} lead={t("done.lead", { email: identity?.email ?? "" })}>
			<Button ref={primary} isBlock onClick={() => void navigate({ to: "/" })}>
				{t("done.dashboard")}
			</Button>
			{!identity?.limited && (
				<div className="gw-setup-offer">
					<p>{t("done.offer")}</p>
					<Button variant="secondary" isBlock onClick={secondFactor}>
						{t("done.secondFactor")}
					</Button>
				</div>
			)}
		</BarePage>
	);
}
