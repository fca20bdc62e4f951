import type { CreateTokenRequest, UserNewTokenView } from "@api";
import { zCreateTokenRequest } from "@api/schemas";
import { type Field, FormDialog } from "@ui";
import { useTranslation } from "@ui/translation";
import * as z from "zod/mini";

interface Props {
	/** A token never has more rights than its owner, so a viewer is not asked. */
	admin: boolean;
	create: (body: CreateTokenRequest) => Promise<UserNewTokenView>;
	onClose: () => void;
}

type Values = Pick<CreateTokenRequest, "name" | "role"> & { days: string };

const schema = z.extend(zCreateTokenRequest, { days: z.enum(["7", "30", "90", "180", "365"]) });
const asViewer: Field[] = [{ name: "name", focus: true }, { name: "days" }];
const asAdmin: Field[] = [{ name: "name", focus: true }, { name: "role" }, { name: "days" }];
const forViewer = z.omit(schema, { role: true });

/** CreateTokenDialog asks what a token is for, what it may do and how long. */
export function CreateTokenDialog({ admin, create, onClose }: Props) {
	const { t } = useTranslation("account");
	return (
		<FormDialog
			title={t("tokens.create")}
			schema={admin ? schema : forViewer}
			ns="account"
			fields={admin ? asAdmin : asViewer}
			initial={{ role: "viewer", days: "90" }}
			submit={({ days, ...body }: Values) => create({ ...body, role: body.role ?? "viewer", days: Number(days) })}
			onDone={onClose}
			submitLabel={t("tokens.create")}
			onClose={onClose}
		/>
	);
}
