import type { ForwardproxyAnswer, ForwardproxyQuestion } from "@api";
import { zForwardproxyQuestion } from "@api/schemas";
import { Dialog, type Field, Link, Notice, SchemaForm } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { nameOf, page } from "./acl";
import { useAcl, useExplain } from "./requests";

const fields: Field[] = [
	{ name: "url", focus: true, wide: true },
	{ name: "source" },
	{ name: "method", initial: "GET", required: false },
	{ name: "at", kind: "moment", required: false },
	{ name: "user_agent", required: false },
];

/** TestDialog tells whether a request would pass, and what decides over it. Nothing is sent. */
export default function TestDialog({ onClose }: { onClose: () => void }) {
	const { t } = useTranslation("forwardproxy");
	const { mutateAsync } = useExplain();
	const [answer, setAnswer] = useState<ForwardproxyAnswer>();
	const ask = async (body: ForwardproxyQuestion) => {
		setAnswer(undefined);
		setAnswer(await mutateAsync(body));
	};
	return (
		<Dialog title={t("test.title")} description={t("test.text")} size="medium" onClose={onClose}>
			<div className="gw-fwp-test">
				<SchemaForm<ForwardproxyQuestion, void>
					schema={zForwardproxyQuestion}
					ns="forwardproxy/test"
					fields={fields}
					submit={ask}
					submitLabel={t("test.submit")}
					guard={false}
					wide
				/>
				<div aria-live="polite">{answer && <Verdict answer={answer} />}</div>
			</div>
		</Dialog>
	);
}

function Verdict({ answer: { allowed, why, acl_id: id, method, url, enabled } }: { answer: ForwardproxyAnswer }) {
	const { t } = useTranslation("forwardproxy");
	const acl = useAcl(id);
	return (
		<Notice kind={allowed ? "success" : "warning"} title={t(allowed ? "test.passes" : "test.denied")}>
			<p>
				{t(`test.why.${why}`)}{" "}
				{id && (
					<Link to={page} search={{ do: "edit", id }}>
						{acl ? t("test.acl", { type: t(`acl.option.type.${acl.type}`), name: nameOf(acl) }) : "…"}
					</Link>
				)}
			</p>
			<p>{t("test.seen", { method, url })}</p>
			{!enabled && <p>{t("test.off")}</p>}
		</Notice>
	);
}
