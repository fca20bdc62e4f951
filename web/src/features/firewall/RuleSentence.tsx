import { useQuery } from "@tanstack/react-query";
import { formatExact } from "@ui";
import { usePaused } from "@ui/SearchInput";
import { useTranslation } from "@ui/translation";
import { type Control, useWatch } from "react-hook-form";
import { lookUp, type Typed } from "./known";
import { useUplinkGroups } from "./requests";
import { type Known, Unknown } from "./resolve";
import { type Filling, Misread, saidOf } from "./ruleRequest";
import { unknownText } from "./ruleSave";

const typedIn = ({ source = "", destination = "", service = "" }: Partial<Typed>): Typed => ({
	source,
	destination,
	service,
});

/** useKnown is what the server has of that which is typed, once typing pauses. */
function useKnown(typed: Typed): Known | undefined {
	const paused = JSON.parse(usePaused(JSON.stringify(typed))) as Typed;
	const { data } = useQuery({
		queryKey: [{ _id: "what a rule refers to", tags: ["firewall"], ...paused }],
		queryFn: ({ signal }) => lookUp(paused, signal),
	});
	return data;
}

/** RuleSentence says in one sentence what the rule of a form will do. */
export function RuleSentence({ control }: { control: Control }) {
	const { t } = useTranslation("firewall");
	const filling = useWatch({ control }) as Filling;
	const known = useKnown(typedIn(filling));
	const groups = useUplinkGroups();
	const words = () => {
		if (!known) return "…";
		try {
			const said = saidOf(filling, known, t, {
				time: (at) => formatExact(new Date(at)),
				uplinks: (id) => groups?.find((group) => group.id === id)?.name,
			});
			return said.endsWith("…") ? said : `${said}.`;
		} catch (error) {
			if (error instanceof Misread && error.cause instanceof Unknown) return unknownText(error.cause);
			throw error;
		}
	};
	return (
		<p className="gw-fw-sentence" aria-live="polite">
			{words()}
		</p>
	);
}
