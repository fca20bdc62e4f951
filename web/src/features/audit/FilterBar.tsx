import { Button, TextInput } from "@patternfly/react-core";
import { FilterIcon } from "@patternfly/react-icons";
import { actionTitles } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { type Draft, type FilterKey, type Filters, filterKeys, reversed, subjectLength, tooShort } from "./filters";

interface Props {
	draft: Draft;
	type: (key: FilterKey, value: string) => void;
	filters: Filters;
	apply: (filters: Filters) => void;
}

/** Filters that are asked for often; the first is in the command palette too. */
const presets = [
	["failed", "auth.login.failed"],
	["accounts", "user."],
	["system", "system."],
] as const;

/** FilterBar asks what to look for; on a narrow screen it opens on demand. */
export function FilterBar({ draft, type, filters, apply }: Props) {
	const { t } = useTranslation("audit");
	const count = filterKeys.filter((key) => filters[key] !== undefined).length;
	const [open, setOpen] = useState(false);
	const hint: Partial<Record<FilterKey, string>> = {
		subject: tooShort(draft.subject) ? t("filter.short", { count: subjectLength }) : undefined,
		until: reversed(draft) ? t("filter.reversed") : undefined,
	};
	return (
		<search className="gw-audit-search" data-open={open}>
			<div className="gw-audit-presets">
				<Button
					className="gw-audit-toggle"
					variant="secondary"
					size="sm"
					icon={<FilterIcon />}
					aria-expanded={open}
					aria-controls="audit-filters"
					onClick={() => setOpen(!open)}
				>
					{count > 0 ? t("filter.open", { count }) : t("filter.label")}
				</Button>
				{presets.map(([name, action]) => (
					<Button
						key={name}
						variant={filters.action === action ? "primary" : "tertiary"}
						size="sm"
						aria-pressed={filters.action === action}
						onClick={() => apply({ ...filters, action: filters.action === action ? undefined : action })}
					>
						{t(`preset.${name}`)}
					</Button>
				))}
				{count > 0 && (
					<Button variant="link" size="sm" onClick={() => apply({})}>
						{t("filter.clear")}
					</Button>
				)}
			</div>
			<div className="gw-audit-filters" id="audit-filters">
				{filterKeys.map((key) => (
					<div key={key}>
						<label htmlFor={`audit-${key}`}>{t(`filter.${key}`)}</label>
						<TextInput
							id={`audit-${key}`}
							type={key === "since" || key === "until" ? "datetime-local" : "search"}
							value={draft[key]}
							maxLength={254}
							list={key === "action" ? "audit-actions" : undefined}
							placeholder={key === "subject" ? t("filter.subjectHint", { count: subjectLength }) : undefined}
							validated={hint[key] ? "warning" : "default"}
							aria-describedby={hint[key] ? `audit-${key}-hint` : undefined}
							onChange={(_, value) => type(key, value)}
						/>
						{hint[key] && (
							<p id={`audit-${key}-hint`} role="status" className="gw-audit-hint">
								{hint[key]}
							</p>
						)}
					</div>
				))}
			</div>
			<datalist id="audit-actions">
				{[...actionTitles()].map(([action, title]) => (
					<option key={action} value={action} label={title} />
				))}
			</datalist>
		</search>
	);
}
