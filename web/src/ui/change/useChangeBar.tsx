import type { Ask, Plan } from "@api";
import { useState } from "react";
import { type Control, useWatch } from "react-hook-form";
import type { FormFoot } from "../SchemaForm";
import { askOf, type Said, unsaid } from "./ask";
import { ChangeBar } from "./ChangeBar";

interface Spec<In> {
	/** Undefined for what configures no daemon: then there is no bar. */
	component: string | undefined;
	risky: (body: In) => boolean;
	plan: (body: In) => Promise<Plan>;
}

/** useChangeBar is the bar of a form, and what is said in it. */
export function useChangeBar<In>({ component, risky, plan }: Spec<In>) {
	const [said, say] = useState<Said>(unsaid);
	const ask = (body: In): Ask => (component ? askOf(said, risky(body)) : {});
	const foot = (form: FormFoot<In>) =>
		component && <Foot component={component} form={form} risky={risky} plan={plan} said={said} onSay={say} />;
	return { ask, foot, forget: () => say(unsaid) };
}

interface FootProps<In> extends Omit<Spec<In>, "component"> {
	component: string;
	form: FormFoot<In>;
	said: Said;
	onSay: (said: Said) => void;
}

function Foot<In>({ form, risky, plan, ...rest }: FootProps<In>) {
	const values = useWatch({ control: form.control as Control }) as In;
	const look = async () => {
		let found: Plan | undefined;
		await form.check(async (body) => {
			found = await plan(body);
		});
		return found;
	};
	return <ChangeBar {...rest} risky={risky(values)} plan={look} busy={form.busy} />;
}
