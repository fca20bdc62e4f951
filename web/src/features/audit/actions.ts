/** Kind of an entry: what its icon and colour say. */
export type Kind =
	| "signIn"
	| "signOut"
	| "refused"
	| "create"
	| "update"
	| "delete"
	| "secret"
	| "restart"
	| "setting"
	| "done"
	| "other";

/** Actions whose verb does not say their kind. */
const known: Record<string, Kind> = {
	"auth.login.success": "signIn",
	"auth.login.failed": "refused",
	"auth.logout": "signOut",
	"auth.session.revoke": "signOut",
	"auth.password.change": "secret",
	"auth.password.reset": "secret",
	"auth.totp.setup": "secret",
	"auth.totp.enable": "secret",
	"auth.totp.disable": "secret",
	"auth.recovery_code.use": "secret",
	"auth.token.create": "secret",
	"auth.token.revoke": "delete",
	"user.create": "create",
	"user.update": "update",
	"user.delete": "delete",
	"user.password.set": "secret",
	"user.totp.disable": "secret",
	"system.service_restart": "restart",
	"system.service_toggle": "setting",
	"system.ipv6": "setting",
	"system.maintenance": "setting",
	"system.auto_update": "setting",
	"system.retention": "setting",
	"setup.complete": "done",
};

export const knownActions = Object.keys(known);

const verbs: [RegExp, Kind][] = [
	[/(^|[._])(failed|refused|denied)$/, "refused"],
	[/(^|[._])(create|add|import)$/, "create"],
	[/(^|[._])(delete|remove|revoke)$/, "delete"],
	[/(^|[._])(update|set|change|enable|disable|toggle)$/, "update"],
	[/(^|[._])(restart|reload|apply)$/, "restart"],
];

/** kindOf tells the kind of any action; unknown ones by the verb they end with. */
export function kindOf(action: string): Kind {
	if (Object.hasOwn(known, action)) return known[action]!;
	return verbs.find(([pattern]) => pattern.test(action))?.[1] ?? "other";
}
