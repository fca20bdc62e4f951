import { ApiError, type Plan, type Uses } from "@api";
import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useForm } from "react-hook-form";
import { useErrorText } from "./errorText";
import { describe, type Field, type FormSchema, initialOf } from "./fields";
import { schemaResolver } from "./resolver";
import { place } from "./serverErrors";
import { useTranslation } from "./translation";

interface Spec<In, Out> {
	schema: FormSchema;
	fields: Field[];
	initial?: object;
	submit: (body: In) => Promise<Out>;
	onDone?: (out: Out) => void;
	onDirty?: (dirty: boolean) => void;
}

/** useSchemaForm is what a form holds, how it is sent, and what is wrong with it. */
export function useSchemaForm<In, Out>({ schema, fields, initial, submit, onDone, onDirty }: Spec<In, Out>) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	const inputs = useMemo(() => fields.map((field) => describe(schema, field)), [schema, fields]);
	const form = useForm({
		defaultValues: initialOf(inputs, initial),
		resolver: schemaResolver(schema, inputs, t),
		mode: "onTouched",
	});
	const [above, setAbove] = useState<string[]>([]);
	/** What refers to the object, where that is why. */
	const [uses, setUses] = useState<Uses>();
	/** What would change, while that is looked at. */
	const [plan, setPlan] = useState<Plan>();
	/** That is being asked for: what is typed meanwhile would be saved, and not be in the answer. */
	const [looking, setLooking] = useState(false);
	const saved = useRef(false);
	const { isDirty } = form.formState;
	// Not react-hook-form's own word for it: a look at what would change counts as sending there.
	const [busy, setBusy] = useState(false);

	useEffect(() => onDirty?.(isDirty), [onDirty, isDirty]);

	const fail = (error: unknown) => {
		// What is wrong stands at the fields.
		setPlan(undefined);
		setUses(error instanceof ApiError && error.uses.total > 0 ? error.uses : undefined);
		if (!(error instanceof ApiError) || error.fields.length === 0) return setAbove([text(error)]);
		const placed = place(
			error,
			inputs.map((input) => input.name),
		);
		setAbove(placed.above);
		placed.atField.forEach(({ name, message }, i) => {
			form.setError(name, { type: "server", message }, { shouldFocus: i === 0 });
		});
	};
	const begin = () => {
		setAbove([]);
		setUses(undefined);
	};
	const save = form.handleSubmit(async (body) => {
		begin();
		setBusy(true);
		try {
			const out = await submit(body as In);
			saved.current = true;
			onDone?.(out);
		} catch (error) {
			fail(error);
		} finally {
			setBusy(false);
		}
	});
	const check = (act: (body: In) => Promise<void>) =>
		form.handleSubmit(async (body) => {
			begin();
			setLooking(true);
			const failure = await act(body as In).then(
				() => undefined,
				(error: unknown) => ({ error }),
			);
			// At once: a field of an inert form cannot take the focus.
			flushSync(() => setLooking(false));
			if (failure) fail(failure.error);
		})();
	const lost = () => isDirty && !saved.current;
	return { form, inputs, above, uses, busy, looking, save, check, plan, setPlan, lost };
}
