import "./backup.css";
import { type Problem, useCan, useCurrent, useProblems } from "@api";
import {
	formatAgo,
	Link,
	later,
	Notice,
	Page,
	problemRemedy,
	problemTitle,
	StatusLabel,
	UnknownState,
	UrlTabs,
	Waiting,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { BackUpNow } from "./BackUpNow";
import { ListTab } from "./ListTab";
import { sumLooks, sumOf } from "./look";
import { useBackups, useRestore } from "./requests";
import { stageOf } from "./sight";

// Most visits look at the list; forms are heavy.
const TargetsTab = later("backup targets", () => import("./TargetsTab"));
const SettingsTab = later("backup settings", () => import("./SettingsTab"));

/** BackupsPage is what was saved of this node and where, and the way back to it. */
export default function BackupsPage() {
	const { t } = useTranslation("backup");
	const admin = useCan("admin");
	const part = (id: "targets" | "settings", Tab: typeof TargetsTab) => ({
		id,
		title: t(`tab.${id}`),
		content: (
			<Suspense fallback={<Waiting />}>
				<Tab />
			</Suspense>
		),
	});
	const tabs = [
		{ id: "backups", title: t("tab.backups"), content: <ListTab /> },
		part("targets", TargetsTab),
		part("settings", SettingsTab),
	];
	return (
		<Page title={t("title")} description={<Sum />} actions={admin && <BackUpNow />}>
			<UnderWay />
			<Wrong />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}

/** Sum is how well this node is backed up, in one line. */
function Sum() {
	const { t } = useTranslation("backup");
	const query = useBackups();
	const backups = useCurrent(query);
	if (!backups) return query.data ? <UnknownState /> : null;
	const { kind, at } = sumOf(backups, Date.now());
	const ago = at && formatAgo(new Date(at));
	return (
		<StatusLabel status={sumLooks[kind]}>
			{t(`sum.${kind}`, { ago })} {kind !== "never" && !ago && t("sum.none")}
			{(kind === "failed" || kind === "damaged") && ago && t("sum.good", { ago })}
		</StatusLabel>
	);
}

/** UnderWay leads to a restore that somebody began; one that waits stands above the page. */
function UnderWay() {
	const { t } = useTranslation("backup");
	const restore = useCurrent(useRestore(), true);
	if (!restore || stageOf(restore) !== "running") return null;
	return (
		<Notice kind="info" title={t("stage.running")}>
			<Link to="/backups/restore">{t("restore.show")}</Link>
		</Notice>
	);
}

const isOurs = ({ code, severity }: Problem) =>
	code.startsWith("backup.") && code !== "backup.restore_waiting" && severity !== "info";

/** Wrong is what the server found wrong with the backups. */
function Wrong() {
	const { t } = useTranslation("backup");
	const admin = useCan("admin");
	const { data } = useProblems();
	return data?.problems.filter(isOurs).map((problem) => (
		<Notice
			key={`${problem.code} ${problem.subject.id}`}
			kind={problem.severity === "warning" ? "warning" : "danger"}
			title={problemTitle(problem)}
		>
			{problemRemedy(problem)}
			{admin && problem.code === "backup.no_passphrase" && (
				<>
					{" "}
					<Link to="/backups" search={{ tab: "settings" }}>
						{t("passphrase.button")}
					</Link>
				</>
			)}
		</Notice>
	));
}
