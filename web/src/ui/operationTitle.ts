import { askForPageWords, queryClient } from "@api";
import { useEffect } from "react";
import { useTranslation } from "./translation";

/** What the pages call the operations that need the password once more: method, path, and the key of their own text. */
const titles: [method: RegExp, path: RegExp, key: string][] = [
	[/^POST$/, /^\/auth\/tokens$/, "account:tokens.create"],
	[/^POST$/, /^\/users$/, "users:create"],
	[/^(PUT|PATCH)$/, /^\/users\/[^/]+$/, "users:edit"],
	[/^POST$/, /^\/users\/[^/]+\/password$/, "users:password.title"],
	[/^POST$/, /^\/users\/[^/]+\/totp\/disable$/, "users:totp.title"],
	[/^POST$/, /^\/backup-targets$/, "backup:target.create"],
	[/^(PUT|PATCH)$/, /^\/backup-targets\/[^/]+$/, "backup:target.edit"],
	[/^PUT$/, /^\/logs\/settings$/, "logs:settings.edit"],
	[/^POST$/, /^\/changes\/[^/]+\/revert$/, "change:revert.button"],
	[/^POST$/, /^\/batch$/, "change:action.batch"],
];

function keyOf(operation: string): string | undefined {
	const [method = "", path = ""] = operation.split(" ");
	return titles.find(([methods, paths]) => methods.test(method) && paths.test(path))?.[2];
}

/**
 * useOperationTitle is an operation such as "POST /auth/tokens" in words. They are those of a page that may not be open, as for a
 * revert; until they are loaded, and where no page has words for it, the operation is shown as it is.
 */
export function useOperationTitle(operation: string): string {
	const { t, i18n } = useTranslation();
	const key = keyOf(operation);
	useEffect(() => {
		if (key) void askForPageWords(key.slice(0, key.indexOf(":")));
	}, [key]);
	return key && i18n.exists(key) ? t(key) : operation;
}

type Named = { email?: string; name?: string };

/** subjectOf is what an operation is done to: the account or object that is known by that id, or else the one that is made. */
export function subjectOf(operation: string, body: unknown): string {
	const [, collection, id] = /^\w+ (\/[\w-]+)\/([^/]+)/.exec(operation) ?? [];
	const known = queryClient.getQueryData<Named>([{ _id: `${collection}/`, id }]);
	const { email, name } = known ?? ((body ?? {}) as Named);
	return String(email ?? name ?? "");
}
