import type { RadiusSignInResult, RadiusSignInTestWritable } from "@api";
import { zRadiusSignInTestWritable } from "@api/schemas";
import { Dialog, type Field, Notice, SchemaForm } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { useTest } from "./requests";

const fields: Field[] = [
	{ name: "user", focus: true, autoComplete: "off" },
	{ name: "password", kind: "password", autoComplete: "off" },
	{ name: "client_address", required: false },
	{ name: "method", initial: "pap" },
];

/** TestDialog signs in as a device would, and tells which step refused. */
export default function TestDialog({ onClose }: { onClose: () => void }) {
	const { t } = useTranslation("radius");
	const { mutateAsync } = useTest();
	const [result, setResult] = useState<RadiusSignInResult>();
	const test = async (body: RadiusSignInTestWritable) => {
		setResult(undefined); // what came of another sign-in says nothing about this one
		setResult(await mutateAsync(body));
	};
	return (
		<Dialog title={t("test.title")} description={t("test.text")} onClose={onClose}>
			<SchemaForm<RadiusSignInTestWritable, void>
				schema={zRadiusSignInTestWritable}
				ns="radius/test"
				fields={fields}
				guard={false}
				submit={test}
				submitLabel={t("test.submit")}
			>
				<div aria-live="polite">{result && <Verdict result={result} />}</div>
			</SchemaForm>
		</Dialog>
	);
}

function Verdict({ result: { result, client, vlan } }: { result: RadiusSignInResult }) {
	const { t } = useTranslation("radius");
	const good = result === "accepted";
	return (
		<Notice kind={good ? "success" : "warning"} title={t(`result.${result}`)}>
			{t(`test.why.${result}`)} {client && t("test.client", { client })}{" "}
			{good && (vlan ? t("test.vlan", { vlan }) : t("test.noVlan"))}
		</Notice>
	);
}
