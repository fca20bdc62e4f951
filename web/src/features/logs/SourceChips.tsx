import { listLogSourcesOptions } from "@api";
import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "@ui/translation";

interface Props {
	/** Names of those that are chosen; none means all. */
	chosen: string[];
	onChange: (chosen: string[]) => void;
}

/** SourceChips choose whose entries are shown. */
export function SourceChips({ chosen, onChange }: Props) {
	const { t } = useTranslation("logs");
	const { data } = useQuery({ ...listLogSourcesOptions(), staleTime: Number.POSITIVE_INFINITY });
	const toggle = (name: string) =>
		onChange(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
	return (
		<fieldset className="gw-logs-sources" aria-label={t("filter.sources")}>
			<Button
				size="sm"
				variant={chosen.length === 0 ? "primary" : "tertiary"}
				aria-pressed={chosen.length === 0}
				onClick={() => onChange([])}
			>
				{t("filter.all")}
			</Button>
			{data?.map(({ name, title }) => (
				<Button
					key={name}
					size="sm"
					variant={chosen.includes(name) ? "primary" : "tertiary"}
					aria-pressed={chosen.includes(name)}
					title={title}
					onClick={() => toggle(name)}
				>
					{name}
				</Button>
			))}
		</fieldset>
	);
}
