import { Button, FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import { type ComponentProps, useState } from "react";
import { formatNumber } from "./format";
import { useTranslation } from "./translation";
import { sizeOf, sizesOf, type Unit, unitText, unitWord } from "./units";

interface Props extends Omit<ComponentProps<typeof TextInput>, "onChange" | "value" | "min" | "max"> {
	id: string;
	label: string;
	unit: Unit;
	/** In the unit's smallest size, as the server counts; "" for none. */
	value: number | "";
	min?: number;
	max?: number;
	presets?: number[];
	/** What 0 means. */
	zero?: string;
	/** A number, like the value. */
	placeholder?: string;
	onChange: (value: number | "") => void;
}

/** shown is a number as it stands in the input: a year and a half is 1.5, however it is stored. */
const shown = (value: number | "", size: number) => (value === "" ? "" : String(Number((value / size).toFixed(3))));

/** UnitInput is a number with its unit beside it, and the usual values to choose with one press. */
export function UnitInput({
	id,
	label,
	unit,
	value,
	min = 0,
	max,
	presets = [],
	zero,
	placeholder,
	onChange,
	...rest
}: Props) {
	const { t } = useTranslation("ui");
	const sizes = sizesOf(unit, max);
	const [chosen, setChosen] = useState(() => sizeOf(unit, value === "" ? 0 : value)[0]);
	const size = sizes.find(([name]) => name === chosen)?.[1] ?? 1;
	// What is typed stays as it is typed, until the value is another for other reasons: "1.0" may become "1.05".
	const [typed, setTyped] = useState<{ text: string; value: number | "" }>();
	const type = (text: string) => {
		const next = text === "" ? "" : Math.round(Number(text) * size);
		setTyped({ text, value: next });
		onChange(next);
	};
	const preset = (one: number) => {
		setTyped(undefined);
		if (one !== 0) setChosen(sizeOf(unit, one)[0]);
		onChange(one);
	};
	// The number that stands there stays; what it counts changes.
	const change = (name: string) => {
		const next = sizes.find(([one]) => one === name)?.[1] ?? 1;
		setChosen(name);
		setTyped(undefined);
		if (value !== "") onChange(Math.round((value / size) * next));
	};
	const count = value === "" ? 0 : value / size;
	return (
		<div className="gw-unit">
			<TextInput
				{...rest}
				id={id}
				type="number"
				inputMode="decimal"
				placeholder={placeholder && shown(Number(placeholder), size)}
				min={min / size}
				max={max === undefined ? undefined : max / size}
				step="any"
				value={typed?.value === value ? typed.text : shown(value, size)}
				onChange={(_, text) => type(text)}
			/>
			{sizes.length > 1 ? (
				<FormSelect
					className="gw-unit-size"
					aria-label={t("unitOf", { label })}
					value={chosen}
					onChange={(_, name) => change(name)}
				>
					{sizes.map(([name]) => (
						<FormSelectOption key={name} value={name} label={unitWord(name, count)} />
					))}
				</FormSelect>
			) : (
				<span className="gw-unit-word">{unitWord(chosen, count)}</span>
			)}
			{presets.length > 0 && (
				<fieldset className="gw-presets" aria-label={t("presetsOf", { label })}>
					{presets.map((one) => (
						<Button key={one} variant="plain" size="sm" aria-pressed={one === value} onClick={() => preset(one)}>
							{one === 0 && zero ? zero : sizes.length > 1 ? unitText(unit, one) : formatNumber(one)}
						</Button>
					))}
				</fieldset>
			)}
		</div>
	);
}
