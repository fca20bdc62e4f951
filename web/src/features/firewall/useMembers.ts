import { type FirewallMember, type FirewallMemberInput, type Resource, useRemove, useSave } from "@api";
import { tell, toast, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";

/** useMembers puts things into a group and takes them out, and says what came of it. */
export function useMembers(members: Resource<FirewallMember, FirewallMemberInput>, group: string) {
	const { t } = useTranslation("firewall");
	const text = useErrorText();
	const { mutate: save } = useSave(members);
	const { mutate: remove } = useRemove(members);
	const onError = (error: unknown) => toast.danger(t("notSaved", { name: group }), { detail: text(error) });
	const add = (id: string) =>
		save(
			{ body: { object_id: id } },
			{
				onSuccess: ({ data, outcome }) => tell(t("members.added", { name: data.name, group }), "firewall", outcome),
				onError,
			},
		);
	const takeOut = (row: FirewallMember) =>
		remove(
			{ row },
			{
				onSuccess: ({ outcome }) => tell(t("members.takenOut", { name: row.name, group }), "firewall", outcome),
				onError,
			},
		);
	return { add, takeOut };
}
