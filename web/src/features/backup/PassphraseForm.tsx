import { ApiError, type BackupPassphraseInput, useCan } from "@api";
import { zBackupPassphraseInput } from "@api/schemas";
import { type Field, Loaded, Notice, SchemaForm, toast } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import * as z from "zod/mini";
import { usePassphrase, useStatus } from "./requests";

const schema = z.extend(zBackupPassphraseInput, { repeat: z.string() });
const fields: Field[] = [
	{ name: "passphrase", kind: "password", strength: true },
	{ name: "repeat", kind: "password" },
	{ name: "password", kind: "password", autoComplete: "current-password", required: true },
];

interface Typed extends BackupPassphraseInput {
	repeat: string;
}

/** PassphraseForm says what opens an archive when this node is gone, and sets it. */
export function PassphraseForm() {
	const { t } = useTranslation("backup");
	const admin = useCan("admin");
	return (
		<>
			<Loaded query={useStatus()} height="4rem">
				{({ passphrase: set }) => (
					<Notice kind={set ? "info" : "warning"} title={t(set ? "passphrase.set" : "passphrase.unset")}>
						<p>{t(set ? "passphrase.lost" : "passphrase.bound")}</p>
					</Notice>
				)}
			</Loaded>
			{admin && <Setting />}
		</>
	);
}

function Setting() {
	const { t } = useTranslation("backup");
	const [round, setRound] = useState(0);
	const { mutateAsync } = usePassphrase(t("ui:password.wrong"));
	const submit = async ({ repeat, ...body }: Typed) => {
		if (repeat === body.passphrase) return mutateAsync(body);
		const message = t("passphrase.differ");
		throw new ApiError(422, "invalid", message, [{ field: "repeat", message }]);
	};
	const done = () => {
		toast.success(t("passphrase.done"));
		setRound(round + 1); // what was typed is not left on the screen
	};
	return (
		<SchemaForm
			key={round}
			schema={schema}
			ns="backup"
			fields={fields}
			submit={submit}
			onDone={done}
			submitLabel={t("passphrase.button")}
		/>
	);
}
