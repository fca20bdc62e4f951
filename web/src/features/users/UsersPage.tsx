import { type User, useIdentity } from "@api";
import { UsersIcon } from "@patternfly/react-icons";
import {
	type BulkAction,
	type Column,
	later,
	ResourcePage,
	type RowDialog,
	StatusLabel,
	storedInput,
	Time,
	useSwitchBulk,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { users } from "./resource";

const PasswordDialog = later("users password", () => import("./PasswordDialog"));
const TokensDialog = later("users tokens", () => import("./TokensDialog"));
const TotpDialog = later("users totp", () => import("./TotpDialog"));

/** UsersPage is who may sign in, and with which role. */
export default function UsersPage() {
	const { t } = useTranslation("users");
	const me = useIdentity();
	const switches = useSwitchBulk<"active", User>("active", (user) => storedInput(user, "totp_enabled", "oidc_subject"));
	// Whoever ticks all of them does not mean to sign out for good.
	const bulk = switches.map(
		(action): BulkAction<User> => ({
			...action,
			fits: (user) => user.id !== me?.id && (action.fits?.(user) ?? true),
			skipped: `${t("bulk.own")} ${action.skipped ?? ""}`,
		}),
	);
	const columns: Column<User>[] = [
		{ key: "email", title: t("field.email"), sortable: true },
		{ key: "role", title: t("field.role"), sortable: true, letters: 13, cell: (user) => t(`option.role.${user.role}`) },
		{ key: "active", title: t("column.state"), sortable: true, letters: 12, cell: (user) => <State user={user} /> },
		{
			key: "totp_enabled",
			title: t("column.totp"),
			letters: 14,
			cell: (user) => t(user.totp_enabled ? "totp.on" : "totp.off"),
		},
		{
			key: "created_at",
			title: t("column.created"),
			sortable: true,
			letters: 13,
			cell: (user) => <Time value={user.created_at} />,
		},
	];
	const dialogs: RowDialog<User>[] = [
		{
			id: "password",
			title: t("password.title"),
			dialog: (user, close) => <PasswordDialog user={user} onClose={close} />,
		},
		{
			id: "tokens",
			title: t("tokens.title"),
			dialog: (user, close) => <TokensDialog user={user} onClose={close} />,
		},
		{
			id: "totp",
			title: t("totp.title"),
			danger: true,
			fits: (user) => user.totp_enabled,
			dialog: (user, close) => <TotpDialog user={user} onClose={close} />,
		},
	];
	return (
		<ResourcePage
			resource={users}
			ns="users"
			icon={UsersIcon}
			columns={columns}
			form={() => import("./form")}
			dialogs={dialogs}
			bulk={bulk}
			defaultSort="email"
			keeps={(user) => user.id === me?.id}
		/>
	);
}

/** State is whether a user may sign in. That is a setting: it says nothing of whether it works, so it is not green. */
function State({ user }: { user: User }) {
	const { t } = useTranslation("users");
	return user.active ? t("state.active") : <StatusLabel status="neutral">{t("state.disabled")}</StatusLabel>;
}
