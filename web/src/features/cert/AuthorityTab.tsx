import { type SystemAcme, useCan } from "@api";
import { zSystemAcme } from "@api/schemas";
import { type Field, Loaded, toast } from "@ui";
import { SchemaForm } from "@ui/SchemaForm";
import { SettingsView } from "@ui/SettingsView";
import { useTranslation } from "@ui/translation";
import { useAuthority, useSetAuthority } from "./requests";

const fields: Field[] = [
	{ name: "email", section: "account" },
	{ name: "terms_agreed", section: "account" },
	{ name: "directory_url", wide: true, section: "advanced" },
];

/** AuthorityTab is whom certificates are ordered from, and as whom. */
export default function AuthorityTab() {
	const admin = useCan("admin");
	return (
		<Loaded query={useAuthority()} height="18rem">
			{(stored) => (
				<div className="gw-panel gw-settings">
					{admin ? (
						<Editor stored={stored} />
					) : (
						<SettingsView ns="cert/authority" schema={zSystemAcme} fields={fields} stored={stored} />
					)}
				</div>
			)}
		</Loaded>
	);
}

function Editor({ stored }: { stored: SystemAcme }) {
	const { t } = useTranslation("cert");
	const { mutateAsync: save } = useSetAuthority();
	return (
		<SchemaForm
			key={JSON.stringify(stored)}
			schema={zSystemAcme}
			ns="cert/authority"
			fields={fields}
			initial={stored}
			submit={(body: SystemAcme) => save(body)}
			onDone={() => toast.success(t("authority.saved"))}
			submitLabel={t("authority.save")}
			wide
		/>
	);
}
