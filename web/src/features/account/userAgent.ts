/** Device is what a user agent gives away about itself, as far as we know it. */
export interface Device {
	program?: string;
	system?: string;
}

// The order matters: most browsers also claim to be the ones further down.
const programs: [RegExp, string][] = [
	[/\bEdg(e|A|iOS)?\//, "Edge"],
	[/\bOPR\/|\bOpera\b/, "Opera"],
	[/\bVivaldi\//, "Vivaldi"],
	[/\bSamsungBrowser\//, "Samsung Internet"],
	[/\b(Firefox|FxiOS)\//, "Firefox"],
	[/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, "Chrome"],
	[/\bVersion\/[\d.]+ .*Safari\//, "Safari"],
	[/^curl\//, "curl"],
	[/^Wget\//, "Wget"],
	[/^python-(requests|httpx)\//, "Python"],
	[/^Go-http-client\//, "Go"],
];

const systems: [RegExp, string][] = [
	[/\bAndroid\b/, "Android"],
	[/\biPhone\b/, "iOS"],
	[/\biPad\b/, "iPadOS"],
	[/\bWindows\b/, "Windows"],
	[/\bCrOS\b/, "ChromeOS"],
	[/\bMac OS X\b|\bMacintosh\b/, "macOS"],
	[/\bLinux\b|\bX11\b/, "Linux"],
];

const find = (list: [RegExp, string][], text: string) => list.find(([pattern]) => pattern.test(text))?.[1];

/** parseUserAgent recognises the usual browsers and systems. It is a label for people, nothing depends on it. */
export const parseUserAgent = (text: string): Device => ({
	program: find(programs, text),
	system: find(systems, text),
});
