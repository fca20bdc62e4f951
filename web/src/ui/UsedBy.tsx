import "./used.css";
import type { Uses } from "@api";
import { Link } from "./Link";
import { kindText } from "./serverText";
import { useTranslation } from "./translation";

/** UsedBy is what refers to an object, each with the way to it: before that is changed, the object has to stay. */
export function UsedBy({ first, total }: Uses) {
	const { t } = useTranslation("ui");
	return (
		<ul className="gw-uses">
			{first.map(({ kind, id, name, link }) => (
				<li key={`${kind} ${id} ${name}`}>
					{kindText(kind)} {link ? <Link to={link}>{name}</Link> : name}
				</li>
			))}
			{total > first.length && <li>{t("uses.more", { count: total - first.length })}</li>}
		</ul>
	);
}
