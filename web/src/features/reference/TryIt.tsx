import { useCan } from "@api";
import { Checkbox } from "@patternfly/react-core";
import { BusyButton, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { type FormEvent, useState } from "react";
import { BodyEditor } from "./BodyEditor";
import { CurlBox } from "./CurlBox";
import { exampleOf } from "./example";
import type { Document, Operation } from "./openapi";
import { ParameterFields } from "./ParameterFields";
import { ReplyView } from "./ReplyView";
import { callOf, jsonError, missing, type Values } from "./request";
import { useSend } from "./useSend";

interface Props {
	document: Document;
	operation: Operation;
}

/** TryIt sends the operation with the session of this page. */
export function TryIt({ document, operation }: Props) {
	const { t } = useTranslation("reference");
	const words = useErrorText();
	const admin = useCan("admin");
	const [values, setValues] = useState<Values>({});
	const [body, setBody] = useState(() =>
		operation.body ? JSON.stringify(exampleOf(document, operation.body), null, 2) : "",
	);
	const [sure, setSure] = useState(false);
	const [asked, setAsked] = useState(false);
	const send = useSend(operation);
	const changes = operation.method !== "GET";
	const lacking = missing(operation, values);
	const wrong = operation.body ? jsonError(body) : undefined;
	const call = callOf(operation, values, body);
	if (operation.stream) {
		const url = new URL(call.url, window.location.href);
		url.protocol = url.protocol.replace("http", "ws");
		return <CurlBox title={t("try.stream")} text={url.href} />;
	}
	const curl = <CurlBox title={t("try.curl")} call={call} withToken={operation.access !== "public"} />;
	if (operation.access === "admin" && !admin) {
		return (
			<>
				<p className="gw-ref-text">{t("try.adminOnly")}</p>
				{curl}
			</>
		);
	}
	const submit = (event: FormEvent) => {
		event.preventDefault();
		setAsked(true);
		if (lacking.length > 0 || wrong !== undefined || (changes && !sure)) return;
		send.mutate(call);
		// Each change is confirmed on its own.
		setSure(false);
		setAsked(false);
	};
	return (
		<form className="gw-ref-try" onSubmit={submit} noValidate>
			<ParameterFields
				operation={operation}
				document={document}
				values={values}
				lacking={asked ? lacking : []}
				change={(key, value) => setValues({ ...values, [key]: value })}
			/>
			{operation.body && <BodyEditor text={body} wrong={wrong} change={setBody} />}
			{curl}
			{changes && (
				<Checkbox
					id="ref-sure"
					label={t("try.sure")}
					isChecked={sure}
					isValid={!asked || sure}
					onChange={(_, checked) => setSure(checked)}
				/>
			)}
			{asked && changes && !sure && (
				<p role="alert" className="gw-ref-wrong">
					{t("try.unsure")}
				</p>
			)}
			<div>
				<BusyButton type="submit" variant={changes ? "danger" : "primary"} busy={send.isPending}>
					{t("try.send")}
				</BusyButton>
			</div>
			{send.error && (
				<p role="alert" className="gw-ref-wrong">
					{words(send.error)}
				</p>
			)}
			{send.data && <ReplyView reply={send.data} />}
		</form>
	);
}
