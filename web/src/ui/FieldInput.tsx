import { FormSelect, FormSelectOption, Switch, TextArea, TextInput } from "@patternfly/react-core";
import { Suspense } from "react";
import type { ControllerRenderProps } from "react-hook-form";
import { ChoiceInput } from "./ChoiceInput";
import { ChoicesInput } from "./ChoicesInput";
import type { Input } from "./fields";
import { ListInput } from "./ListInput";
import { later } from "./later";
import { fromLocal, toLocal } from "./moment";
import { PasswordInput } from "./PasswordInput";
import { SuggestInput } from "./SuggestInput";
import { useTranslation } from "./translation";
import { UnitInput } from "./UnitInput";

interface Props {
	id: string;
	input: Input;
	label: string;
	field: ControllerRenderProps;
	invalid: boolean;
	describedBy?: string;
	placeholder?: string;
	/** What 0 means, for a number with a unit. */
	zero?: string;
	optionLabel: (value: string) => string;
}

const none = () => [];

// Few forms choose one of very many, and all of them are in this file.
const SearchInput = later("search input", async () => ({ default: (await import("./SearchInput")).SearchInput }));
const TokenInput = later("token input", async () => ({ default: (await import("./TokenInput")).TokenInput }));

/** FieldInput is the control for a field's kind. */
export function FieldInput({ id, input, label, field, invalid, describedBy, placeholder, zero, optionLabel }: Props) {
	const { t } = useTranslation("ui");
	const shared = {
		id,
		name: field.name,
		ref: field.ref,
		onBlur: field.onBlur,
		autoFocus: input.focus,
		isRequired: input.required,
		validated: invalid ? ("error" as const) : ("default" as const),
		"aria-describedby": describedBy,
	};
	const value = (field.value ?? "") as string;
	switch (input.kind) {
		case "switch":
			return (
				<Switch
					id={id}
					ref={field.ref}
					label={label}
					// PatternFly hides the label's text from assistive technology; with a description alone there would be no name.
					aria-label={label}
					isChecked={Boolean(field.value)}
					aria-describedby={describedBy}
					aria-invalid={invalid || undefined}
					onChange={(_, on) => field.onChange(on)}
				/>
			);
		case "select":
			return (
				<FormSelect {...shared} value={value} onChange={(_, chosen) => field.onChange(chosen)}>
					{value === "" && !input.options.includes("") && (
						<FormSelectOption value="" label={t("choose")} isPlaceholder isDisabled />
					)}
					{input.options.map((option) => (
						<FormSelectOption key={option} value={option} label={optionLabel(option)} />
					))}
				</FormSelect>
			);
		case "choice":
			return <ChoiceInput {...shared} value={value} useChoices={input.useChoices ?? none} onChange={field.onChange} />;
		case "choices":
			return (
				<ChoicesInput
					id={id}
					label={label}
					describedBy={describedBy}
					value={(field.value ?? []) as string[]}
					useChoices={input.useChoices ?? none}
					onChange={field.onChange}
				/>
			);
		case "search":
		case "tokens": {
			const Find = input.kind === "search" ? SearchInput : TokenInput;
			return (
				input.source && (
					<Suspense fallback={<TextInput id={id} aria-label={label} isDisabled />}>
						<Find
							{...shared}
							label={label}
							placeholder={placeholder}
							source={input.source}
							value={value}
							onChange={field.onChange}
						/>
					</Suspense>
				)
			);
		}
		case "moment":
			return (
				<TextInput
					{...shared}
					type="datetime-local"
					value={toLocal(value)}
					onChange={(_, text) => field.onChange(fromLocal(text) ?? "")}
				/>
			);
		case "list":
			return (
				<ListInput
					{...shared}
					lines={input.lines}
					placeholder={placeholder}
					value={(field.value ?? []) as string[]}
					onChange={field.onChange}
				/>
			);
		case "textarea":
			return (
				<TextArea
					{...shared}
					rows={5}
					resizeOrientation="vertical"
					value={value}
					onChange={(_, text) => field.onChange(text)}
				/>
			);
		case "password":
			return (
				<PasswordInput
					{...shared}
					autoComplete={input.autoComplete ?? "new-password"}
					value={value}
					onChange={field.onChange}
				/>
			);
		case "number":
			return input.unit ? (
				<UnitInput
					{...shared}
					label={label}
					unit={input.unit}
					presets={input.presets}
					zero={zero}
					placeholder={placeholder}
					min={input.min}
					max={input.max}
					value={field.value as number | ""}
					onChange={field.onChange}
				/>
			) : (
				<TextInput
					{...shared}
					type="number"
					inputMode="numeric"
					placeholder={placeholder}
					min={input.min}
					max={input.max}
					value={value}
					onChange={(_, text) => field.onChange(text === "" ? "" : Number(text))}
				/>
			);
		default:
			if (input.useChoices) {
				const { useChoices } = input;
				return (
					<SuggestInput
						{...shared}
						placeholder={placeholder}
						value={value}
						useChoices={useChoices}
						onChange={field.onChange}
					/>
				);
			}
			return (
				<TextInput
					{...shared}
					type={input.kind === "email" ? "email" : "text"}
					autoComplete={input.autoComplete ?? "off"}
					inputMode={input.digits ? "numeric" : undefined}
					placeholder={placeholder}
					spellCheck={false}
					autoCapitalize="none"
					value={value}
					onChange={(_, text) => field.onChange(text)}
				/>
			);
	}
}
