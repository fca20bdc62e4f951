import "./change.css";
import { type ChangeDetail, getChangeOptions } from "@api";
import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import {
	actorOf,
	ChangeState,
	FileDiffs,
	Link,
	Loaded,
	Notice,
	Page,
	PropertyList,
	sentence,
	subjectOf,
	Time,
	titleOf,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { RevertDialog } from "./RevertDialog";
import { RowImages } from "./RowImages";
import { canRevert } from "./state";

/** ChangePage is one change: its rows before and after, what it did to each file, and the way back. */
export default function ChangePage() {
	const { t } = useTranslation("change");
	const { id } = useParams({ strict: false }) as { id: string };
	const query = useQuery(getChangeOptions({ path: { id } }));
	const [asking, setAsking] = useState(false);
	const change = query.data;
	const title = change ? titleOf(change) : t("detail");
	const back = change && canRevert(change) && (
		<Button variant="secondary" onClick={() => setAsking(true)}>
			{t("revert.button")}
		</Button>
	);
	return (
		<Page title={title} breadcrumbs={[{ title: t("title"), to: "/changes" }]} actions={back}>
			<Loaded query={query} height="16rem">
				{(one, current) => <Details change={one} current={current} />}
			</Loaded>
			{asking && change && <RevertDialog change={change} onClose={() => setAsking(false)} />}
		</Page>
	);
}

function Details({ change, current }: { change: ChangeDetail; current: boolean }) {
	const { t } = useTranslation("change");
	const files = change.rounds.flatMap((round) => round.files);
	const errors = change.rounds.filter((round) => round.error);
	const shared = change.rounds.some((round) => round.changes.length > 1);
	const link = (id: string | null) => (id ? <Link to={`/changes/${id}`}>{t("thatChange")}</Link> : undefined);
	return (
		<div className="gw-change">
			<div className="gw-panel">
				<PropertyList
					items={[
						[t("column.what"), subjectOf(change) || undefined],
						[t("column.state"), <ChangeState key="state" change={change} current={current} />],
						[t("column.reason"), change.reason || undefined],
						[t("column.who"), actorOf(change.actor)],
						[t("column.when"), <Time key="time" value={change.created_at} />],
						[t("reverts"), link(change.reverts)],
						[t("revertedBy"), link(change.reverted_by)],
					]}
				/>
			</div>
			{errors.map((round) => (
				<Notice key={round.id} kind="danger" title={sentence(round.error)} />
			))}
			<section>
				<h2>{t("rows")}</h2>
				{change.images.length === 0 ? <p>{t("noRows")}</p> : <RowImages images={change.images} />}
			</section>
			<section>
				<h2>{t("files")}</h2>
				{shared && <p className="gw-change-note">{t("shared")}</p>}
				{files.length === 0 ? <p>{t("noFiles")}</p> : <FileDiffs files={files} />}
			</section>
		</div>
	);
}
