// navigation.mjs fills the navigation with the pages that are still to come, so that it is known to hold them.

/** Pages of the whole tree that no feature has yet, by their section; English, German. */
const toCome = {
	publish: [
		["Backends", "Backends"],
		["TCP services", "TCP-Dienste"],
		["WAF", "WAF"],
	],
	network: [
		["Tunnels", "Tunnel"],
		["DHCP", "DHCP"],
	],
	security: [
		["Intrusion detection", "Angriffserkennung"],
		["Forward proxy", "Ausgehender Proxy"],
	],
	monitor: [
		["Traffic", "Datenverkehr"],
		["Logs", "Protokolle"],
		["Alerts", "Alarme"],
		["Diagnostics", "Diagnose"],
	],
	system: [
		["Cluster", "Cluster"],
		["Backups", "Sicherungen"],
		["Updates", "Aktualisierungen"],
		["License", "Lizenz"],
		["Settings", "Einstellungen"],
	],
	access: [
		["Single sign-on", "Einmalanmeldung (Single Sign-on)"],
		["RADIUS", "RADIUS"],
	],
};

/** addEntries puts them into the page's navigation, and opens it where it is closed. */
export async function addEntries(page, language, closed) {
	const added = Object.entries(toCome).map(([section, all]) => [
		section,
		all.map((names) => names[language === "de" ? 1 : 0]),
	]);
	const count = await page.evaluate((added) => {
		for (const [section, names] of added) {
			const list = document.getElementById(`nav-${section}`);
			if (!list || list.querySelector("[data-to-come]")) continue;
			for (const name of names) {
				const entry = list.querySelector("li").cloneNode(true);
				entry.dataset.toCome = "";
				const link = entry.querySelector("a");
				link.className = "";
				link.lastChild.data = name;
				list.append(entry);
			}
		}
		return document.querySelectorAll("#nav li").length;
	}, added);
	if (count < 24) throw new Error(`the navigation has ${count} entries only`);
	if (closed)
		await page
			.locator('.gw-masthead [aria-controls="nav"]')
			.evaluate((e) => e.getAttribute("aria-expanded") === "false" && e.click());
	await page.evaluate(() => new Promise(requestAnimationFrame));
}
