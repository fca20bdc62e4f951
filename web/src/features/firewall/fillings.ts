import type { Known } from "./resolve";
import type { Filling } from "./ruleRequest";
import { nameText, readAddress, readService } from "./typed";

/** random numbers that are the same each time (mulberry32). */
function random(seed: number) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** Operator fills in the form of a rule at random, for tests. */
export class Operator {
	private readonly random: () => number;

	constructor(
		seed: number,
		private readonly zones: string[],
		private readonly known: Known,
		private readonly uplinks: { id: string }[],
	) {
		this.random = random(seed);
	}

	private below = (n: number) => Math.floor(this.random() * n);
	private chance = (percent: number) => this.below(100) < percent;
	private one = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;
	private byte = () => this.below(256);
	private v4 = () => `10.${this.below(3)}.${this.below(3)}.${this.byte()}`;

	/** One family in a filling: the server refuses rules that no packet can match. */
	private four = true;

	private address(): string {
		switch (this.below(this.four ? 6 : 4)) {
			case 0:
				return this.four ? this.v4() : `2001:0DB8:0:0:0:0:0:${this.byte().toString(16).toUpperCase()}`;
			case 1:
			case 2:
				return this.four
					? `${this.v4()}/${this.below(33)}`
					: `2001:db8::${this.byte().toString(16)}/${this.below(129)}`;
			case 3:
				return `${this.one(["www", "Mail", "a-b"])}.example.${this.one(["com", "org"])}`;
			case 4:
				return `10.0.0.${this.below(100)}-10.0.0.${100 + this.below(100)}`;
			default: {
				const { name } = this.one(this.known.addresses.filter(({ value }) => !value.includes(":")));
				const literal = readAddress(name);
				return nameText(name, Boolean(literal) && literal?.kind !== "fqdn");
			}
		}
	}

	private port = () => 1 + this.below(this.chance(50) ? 100 : 65_000);

	private service(): string {
		const ping = this.four ? "icmp" : "icmpv6";
		switch (this.below(7)) {
			case 0:
				return `${ping}/${this.byte()}`;
			case 1:
				return this.one(["gre", "esp", ping, "TCP", "udp", "sctp"]);
			case 2: {
				const port = this.port();
				return `${this.one(["tcp", "udp", "sctp"])}/${port}-${port + this.below(500)}`;
			}
			case 3: {
				const { name } = this.one(this.known.services.filter(({ protocol }) => /tcp|udp/.test(protocol)));
				return nameText(name, Boolean(readService(name)));
			}
			case 4:
				return `tcp/${this.port()}, ${this.port()}`;
			default:
				return `${this.one(["tcp", "TCP", "udp"])}/${this.port()}`;
		}
	}

	private list(entry: () => string, groups: { name: string }[], literal: (name: string) => boolean): string {
		if (this.chance(25)) return "";
		if (this.chance(15)) {
			const { name } = this.one(groups);
			return nameText(name, literal(name));
		}
		const entries = Array.from({ length: this.chance(60) ? 1 : 2 + this.below(5) }, entry);
		return entries.join(this.one([",", ", ", " ,  "]));
	}

	fill(n: number): Filling {
		this.four = this.chance(70);
		const { addressGroups } = this.known;
		const serviceGroups = this.known.serviceGroups.filter(({ name }) => !name.includes("icmp"));
		const isAddress = (name: string) => Boolean(readAddress(name)) && readAddress(name)?.kind !== "fqdn";
		// Now and then everything is let through, which is asked for twice.
		const open = this.chance(10);
		const zones = open ? ["any"] : this.zones;
		return {
			name: `filling ${n}`,
			action: this.one(open ? ["accept"] : ["accept", "drop", "reject"]),
			src_zone: this.one(zones),
			source: open ? "" : this.list(() => this.address(), addressGroups, isAddress),
			dst_zone: this.one(zones),
			destination: open ? "" : this.list(() => this.address(), addressGroups, isAddress),
			service: this.list(
				() => this.service(),
				serviceGroups,
				(name) => Boolean(readService(name)),
			),
			// Also where the form does not ask for it: for a rule that does not accept.
			uplink_group_id: this.chance(30) ? this.one(this.uplinks).id : "",
			log: this.chance(30),
			enabled: this.chance(80),
			expires_at: this.chance(20) ? `2126-01-0${1 + this.below(9)}T10:00:00Z` : "",
			comment: this.chance(30) ? "a comment" : "",
			labels: this.chance(30) ? ["one", "two"] : [],
			note: this.chance(30) ? "a note" : "",
		} as Filling;
	}
}
