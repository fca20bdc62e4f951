import type { RestoreLink } from "@api";
import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { Notice } from "@ui";
import { useTranslation } from "@ui/translation";
import { type Mapping, missingOf, twiceIn } from "./links";

interface Props {
	links: RestoreLink[];
	mapping: Mapping;
	onMap: (mapping: Mapping) => void;
}

/** LinksStep says which network cards take the place of those that this node does not have. */
export function LinksStep({ links, mapping, onMap }: Props) {
	const { t } = useTranslation("backup");
	const twice = twiceIn(mapping);
	const without = missingOf(links).filter(({ name }) => !mapping[name]);
	return (
		<>
			{missingOf(links).map(({ name, candidates }) => (
				<FormGroup key={name} label={t("links.take", { name })} fieldId={`link-${name}`}>
					<FormSelect
						id={`link-${name}`}
						value={mapping[name] ?? ""}
						onChange={(_, to) => onMap({ ...mapping, [name]: to })}
					>
						<FormSelectOption value="" label={t("links.none")} />
						{candidates.map((one) => (
							<FormSelectOption key={one} value={one} label={one} />
						))}
					</FormSelect>
				</FormGroup>
			))}
			<div aria-live="polite">
				{twice.length > 0 && <Notice kind="danger" title={t("links.twice", { names: twice.join(", ") })} />}
				{without.length > 0 && (
					<Notice
						kind="warning"
						title={t("links.without", { count: without.length, names: without.map(({ name }) => name).join(", ") })}
					>
						{t("links.withoutText")}
					</Notice>
				)}
			</div>
		</>
	);
}
