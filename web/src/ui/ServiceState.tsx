import type { SystemService } from "@api";
import { useTranslation } from "react-i18next";
import { StatusLabel } from "./StatusLabel";
import { lookOf, stateOf } from "./service";

/** ServiceState is how a service is, in one word and a colour. */
export function ServiceState({ service }: { service: SystemService }) {
	const { t } = useTranslation("ui");
	const state = stateOf(service);
	return <StatusLabel status={lookOf(service)}>{t(`state.${state}`)}</StatusLabel>;
}
