import type { ChangeOperation, FirewallRuleInput } from "@api";
import type { Translate } from "@ui/feature";
import type { Typed } from "./known";
import { type Known, type Making, type Ref, resolveAddresses, resolveServices } from "./resolve";

/** Filling is what the form of a rule holds. */
export type Filling = Omit<FirewallRuleInput, "action"> & Partial<Typed> & { action?: string; sure?: boolean };

/** Meant is what a filling refers to. */
export interface Meant {
	source: Ref;
	destination: Ref;
	service: Ref;
}

/** Request is what is sent: the objects that are made on the fly, and the rule. */
export interface Request {
	operations: ChangeOperation[];
	body: FirewallRuleInput;
	meant: Meant;
}

/** requestOf is what a filling stores. It throws Unknown with the field where an entry cannot be read. */
export function requestOf(filling: Filling, known: Known, newId: () => string): Request {
	const { source = "", destination = "", service = "", sure: _, ...rest } = filling;
	// What is made is put among the known things, so that it is made once: the caller's own are left alone.
	const own = Object.fromEntries(Object.entries(known).map(([kind, list]) => [kind, [...list]])) as unknown as Known;
	const making: Making = { operations: [], newId };
	const meant = {
		source: at("source", () => resolveAddresses(source, own, making)),
		destination: at("destination", () => resolveAddresses(destination, own, making)),
		service: at("service", () => resolveServices(service, own, making)),
	};
	const body = {
		...plain(rest),
		...side("src", meant.source),
		...side("dst", meant.destination),
		...about(meant.service),
	};
	return { operations: making.operations, body: body as FirewallRuleInput, meant };
}

/** Misread is an entry of a field that cannot be read. */
export class Misread extends Error {
	constructor(
		readonly field: keyof Typed,
		override readonly cause: unknown,
	) {
		super(field);
	}
}

function at<T>(field: keyof Typed, read: () => T): T {
	try {
		return read();
	} catch (cause) {
		throw new Misread(field, cause);
	}
}

const refers = /^(src|dst)_(kind|object_id|group_id|cidr)$|^service_(object|group)_id$/;

/** plain is what is sent as it stands: what a rule referred to before is not. */
const plain = (rest: object) => Object.fromEntries(Object.entries(rest).filter(([name]) => !refers.test(name)));

function side(which: "src" | "dst", ref: Ref) {
	switch (ref.kind) {
		case "any":
			return { [`${which}_kind`]: "any" };
		case "cidr":
			return { [`${which}_kind`]: "cidr", [`${which}_cidr`]: ref.cidr };
		default:
			return { [`${which}_kind`]: ref.kind, [`${which}_${ref.kind}_id`]: ref.id };
	}
}

const about = (ref: Ref) =>
	ref.kind === "object" || ref.kind === "group" ? { [`service_${ref.kind}_id`]: ref.id } : {};

const wordsOf = (ref: Ref) => (ref.kind === "any" ? "" : ref.words);

/** Words are how a sentence tells a moment, and a group of uplinks by its id. */
interface Words {
	time: (at: string) => string;
	uplinks: (id: string) => string | undefined;
}

/** saidOf says what a filling will do. It throws as requestOf does. */
export function saidOf(filling: Filling, known: Known, t: Translate, words: Words): string {
	let made = 0;
	const { meant } = requestOf(filling, known, () => `new ${++made}`);
	return sentenceOf(filling, meant, t, words);
}

function sentenceOf(filling: Filling, meant: Meant, t: Translate, { time, uplinks }: Words): string {
	const { uplink_group_id: group, action } = filling;
	const place = (zone: string | undefined, any: string, ref: Ref) => {
		const name = zone === "any" ? t(any) : zone || "…";
		return ref.kind === "any" ? name : t("rule.says.place", { zone: name, address: wordsOf(ref) });
	};
	const parts = [
		t("rule.says.all", {
			action: filling.action ? t(`does.${filling.action}`) : "…",
			what: wordsOf(meant.service) || t("rule.everything"),
			from: place(filling.src_zone, "rule.says.anyZone", meant.source),
			to: place(filling.dst_zone, "rule.says.anyTarget", meant.destination),
		}),
		group && action === "accept" ? t("rule.says.uplinks", { name: uplinks(group) ?? "…" }) : "",
		filling.log ? t("rule.says.log") : "",
		filling.expires_at ? t("rule.says.until", { time: time(filling.expires_at) }) : "",
		filling.enabled === false ? t("rule.says.off") : "",
	];
	return parts.filter(Boolean).join(", ");
}
