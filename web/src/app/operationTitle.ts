import i18next from "i18next";

/** What the pages call the operations that need the password once more: method, path, and the key of their own text. */
const titles: [method: RegExp, path: RegExp, key: string][] = [
	[/^POST$/, /^\/auth\/tokens$/, "account:tokens.create"],
	[/^POST$/, /^\/users$/, "users:create"],
	[/^(PUT|PATCH)$/, /^\/users\/[^/]+$/, "users:edit"],
	[/^POST$/, /^\/users\/[^/]+\/password$/, "users:password.title"],
	[/^POST$/, /^\/users\/[^/]+\/totp\/disable$/, "users:totp.title"],
	[/^POST$/, /^\/backup-targets$/, "backup:target.create"],
	[/^(PUT|PATCH)$/, /^\/backup-targets\/[^/]+$/, "backup:target.edit"],
	[/^POST$/, /^\/changes\/[^/]+\/revert$/, "change:revert.button"],
	[/^POST$/, /^\/batch$/, "change:action.batch"],
];

/** operationTitle is an operation such as "POST /auth/tokens" in words. One that no page has words for is shown as it is. */
export function operationTitle(operation: string): string {
	const [method = "", path = ""] = operation.split(" ");
	const found = titles.find(([methods, paths]) => methods.test(method) && paths.test(path));
	return found ? i18next.t(found[2]) : operation;
}
