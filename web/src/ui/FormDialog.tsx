import { Dialog } from "./Dialog";
import { SchemaForm, type SchemaFormProps } from "./SchemaForm";
import { useTranslation } from "./translation";

interface Props<In, Out> extends Omit<SchemaFormProps<In, Out>, "frame" | "onCancel"> {
	title: string;
	description?: string;
	onClose: () => void;
}

/** FormDialog is a SchemaForm in a dialog; a wide one is a sheet at the side. Mount it to open it. */
export function FormDialog<In, Out>({ title, description, onClose, id = "dialog-form", ...form }: Props<In, Out>) {
	const { t } = useTranslation("ui");
	return (
		<SchemaForm
			{...form}
			id={id}
			onCancel={onClose}
			frame={({ body, foot, planned }) => (
				<Dialog
					title={planned ? t("change.plan") : title}
					description={planned ? title : description}
					size={form.wide ? "sheet" : "small"}
					onClose={onClose}
					focus={`#${id} :is(input, select, textarea)`}
					footer={foot}
				>
					{body}
				</Dialog>
			)}
		/>
	);
}
