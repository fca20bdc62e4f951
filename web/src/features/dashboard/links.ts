import type { SysInterface } from "@api";

export const isLoopback = (link: SysInterface) => link.flags.includes("LOOPBACK");

const isUp = (link: SysInterface) => link.flags.includes("RUNNING") || link.flags.includes("LOWER_UP");

const most = 4;

/** chosen are the links to show: those in the URL ("eth0,eth1"), else the first few that are connected and no loopback. */
export function chosen(links: SysInterface[], wanted: string | undefined): SysInterface[] {
	if (wanted !== undefined) {
		const names = wanted.split(",");
		return links.filter((link) => names.includes(link.ifname));
	}
	const others = links.filter((link) => !isLoopback(link));
	const up = others.filter(isUp);
	return (up.length > 0 ? up : others).slice(0, most);
}

/** toggled is the next value for the URL when a link is switched on or off; the last one stays. */
export function toggled(shown: SysInterface[], name: string): string {
	const names = shown.map((link) => link.ifname);
	if (!names.includes(name)) return [...names, name].join(",");
	return names.length === 1 ? name : names.filter((one) => one !== name).join(",");
}
