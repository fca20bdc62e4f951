import type { Ask, Plan } from "@api";
import { type ReactNode, useState } from "react";
import { type Control, useWatch } from "react-hook-form";
import type { FootParts, FormFoot } from "../SchemaForm";
import { ApplyProgress } from "./ApplyProgress";
import { askOf, type Said, unsaid } from "./ask";
import { ChangeFields } from "./ChangeFields";
import { PreviewButton } from "./PreviewButton";

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
	const foot = (form: FormFoot<In>): FootParts => {
		if (!component) return {};
		const look = () => form.check(async (body) => form.onPlan(await plan(body)));
		return {
			bar: <Bar component={component} form={form} risky={risky} said={said} onSay={say} />,
			action: (
				<PreviewButton
					form
					shown={form.planned}
					isDisabled={form.busy}
					onLook={look}
					onBack={() => form.onPlan(undefined)}
				/>
			),
		};
	};
	return { ask, foot, forget: () => say(unsaid) };
}

interface BarProps<In> extends Pick<Spec<In>, "risky"> {
	component: string;
	form: FormFoot<In>;
	said: Said;
	onSay: (said: Said) => void;
}

function Bar<In>({ component, form, risky, said, onSay }: BarProps<In>): ReactNode {
	const values = useWatch({ control: form.control as Control }) as In;
	if (form.busy) return <ApplyProgress component={component} />;
	return <ChangeFields risky={risky(values)} said={said} onSay={onSay} form={form.id} />;
}
