import { Button, InputGroup, InputGroupItem, TextInput, type TextInputProps } from "@patternfly/react-core";
import { EyeIcon, EyeSlashIcon } from "@patternfly/react-icons";
import { type Ref, useState } from "react";
import { useTranslation } from "./translation";

type Props = Omit<TextInputProps, "type" | "onChange" | "ref"> & {
	onChange: (value: string) => void;
	ref?: Ref<HTMLInputElement>;
};

/** PasswordInput can be looked at while typing. */
export function PasswordInput({ onChange, ref, ...rest }: Props) {
	const { t } = useTranslation("ui");
	const [shown, show] = useState(false);
	return (
		<InputGroup>
			<InputGroupItem isFill>
				<TextInput
					{...rest}
					ref={ref}
					type={shown ? "text" : "password"}
					spellCheck={false}
					onChange={(_, value) => onChange(value)}
				/>
			</InputGroupItem>
			<InputGroupItem>
				<Button
					variant="control"
					aria-label={shown ? t("password.hide") : t("password.show")}
					icon={shown ? <EyeSlashIcon /> : <EyeIcon />}
					onClick={() => show(!shown)}
				/>
			</InputGroupItem>
		</InputGroup>
	);
}
