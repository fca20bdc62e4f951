import { FormGroup, TextInput } from "@patternfly/react-core";
import { Command, FieldHint } from "@ui";
import { useTranslation } from "@ui/translation";
import { useLayoutEffect, useRef } from "react";
import { type Control, useController } from "react-hook-form";
import { groupCode } from "./code";
import type { Values } from "./form";

/** CodeStep asks for the code that only somebody on the node can read. */
export function CodeStep({ control }: { control: Control<Values> }) {
	const { t } = useTranslation("setup");
	return (
		<>
			<dl className="gw-setup-commands">
				<div>
					<dt>{t("code.console")}</dt>
					<dd>
						<Command>gateway-ctl setup-code</Command>
					</dd>
				</div>
			</dl>
			<CodeField control={control} />
		</>
	);
}

/** CodeField groups the code while it is typed, so that it can be compared with what the node shows. */
function CodeField({ control }: { control: Control<Values> }) {
	const { t } = useTranslation("setup");
	const { field, fieldState } = useController({ name: "code", control });
	const input = useRef<HTMLInputElement>(null);
	const caret = useRef<number>(undefined);
	const wrong = fieldState.error?.message;
	useLayoutEffect(() => {
		if (caret.current !== undefined) input.current?.setSelectionRange(caret.current, caret.current);
		caret.current = undefined;
	});
	const change = (text: string) => {
		const next = groupCode(text, input.current?.selectionStart ?? text.length);
		caret.current = next.caret;
		field.onChange(next.value);
	};
	return (
		<FormGroup label={t("field.code")} fieldId="field-code" isRequired>
			<TextInput
				id="field-code"
				name="code"
				className="gw-setup-code"
				ref={(element) => {
					input.current = element;
					field.ref(element);
				}}
				value={field.value}
				onBlur={() => field.value !== "" && field.onBlur()}
				onChange={(_, text) => change(text)}
				isRequired
				placeholder="XXXX-XXXX-XXXX"
				autoComplete="off"
				autoCapitalize="characters"
				spellCheck={false}
				validated={wrong ? "error" : "default"}
				aria-describedby="field-code-help"
			/>
			<FieldHint id="field-code-help" wrong={Boolean(wrong)}>
				{wrong ?? t("help.code")}
			</FieldHint>
		</FormGroup>
	);
}
