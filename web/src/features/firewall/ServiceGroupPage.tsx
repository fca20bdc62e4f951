import { GroupPage } from "./GroupPage";
import { serviceKind } from "./groups";
import { serviceSource } from "./sources";

/** ServiceGroupPage is the services of a group. */
export default function ServiceGroupPage() {
	return <GroupPage kind={serviceKind} source={serviceSource} />;
}
