import { type ProxyServer, type ProxyServerInput, type Resource, useCan, useSave } from "@api";
import { Switch } from "@patternfly/react-core";
import { tell, toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";

interface Props {
	server: ProxyServer;
	resource: Resource<ProxyServer, ProxyServerInput>;
}

/** DrainSwitch keeps new clients away from a server, so that it can be taken down once the others are done. */
export function DrainSwitch({ server, resource }: Props) {
	const { t } = useTranslation("proxy");
	const text = useErrorText();
	const admin = useCan("admin");
	const { mutate, isPending, variables } = useSave(resource);
	const { name, address, port, weight, backup, active } = server;
	const set = (drain: boolean) =>
		mutate(
			{ row: server, body: { name, address, port, weight, backup, active, drain } },
			{
				onSuccess: ({ outcome }) => tell(t(drain ? "server.drained" : "server.undrained", { name }), "proxy", outcome),
				onError: (error) => toast.danger(t("notSaved", { name }), { detail: text(error) }),
			},
		);
	return (
		<Switch
			id={`drain-${server.id}`}
			aria-label={t("server.drainOf", { name })}
			isChecked={isPending ? Boolean(variables.body.drain) : server.drain}
			isDisabled={!admin || isPending}
			onChange={(_, on) => set(on)}
		/>
	);
}
