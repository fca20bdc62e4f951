/** safeNext is where to go after signing in: a path of this very site, whatever the address bar says. */
export function safeNext(next: string | undefined): string {
	if (!next) return "/";
	const url = new URL(next, window.location.origin);
	if (url.origin !== window.location.origin || /^\/(sign-in|api)\b/.test(url.pathname)) return "/";
	return url.pathname + url.search + url.hash;
}
