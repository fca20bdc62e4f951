import { useHealth } from "@api";
import { Navigate, useNavigate } from "@tanstack/react-router";
import { BarePage, ErrorState, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { AccountlessNotice } from "./AdminStep";
import { DoneStep } from "./DoneStep";
import { type Outcome, Wizard } from "./Wizard";
import "./setup.css";

/** SetupPage takes a fresh node from its code to somebody signed in. A node that is set up has no such page. */
export default function SetupPage() {
	const { t } = useTranslation("setup");
	const navigate = useNavigate();
	const health = useHealth();
	const [stage, setStage] = useState<"open" | "finishing" | "done" | "accountless">("open");
	const finished = (outcome: Outcome) => {
		if (outcome !== "signIn") return setStage(outcome === "signedIn" ? "done" : "accountless");
		toast.success(t("done.signIn"));
		void navigate({ to: "/sign-in" });
	};
	if (stage === "done") return <DoneStep />;
	if (stage === "accountless")
		return (
			<BarePage title={t("accountless.doneTitle")}>
				<AccountlessNotice />
			</BarePage>
		);
	if (stage === "open" && health.data?.setup_complete) return <Navigate to="/" replace />;
	if (!health.data && !health.error) return null;
	return (
		<BarePage title={t("title")} lead={t("lead")} wide>
			{health.data ? (
				<Wizard
					hostname={health.data.hostname}
					onFinishing={(busy) => setStage(busy ? "finishing" : "open")}
					onDone={finished}
				/>
			) : (
				<ErrorState error={health.error} retry={health.refetch} />
			)}
		</BarePage>
	);
}
