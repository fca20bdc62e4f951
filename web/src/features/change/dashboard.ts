import type { DashboardPart } from "@ui/feature";
import { LastChangesCard } from "./LastChangesCard";

export const part: DashboardPart = { cards: [{ order: 40, card: LastChangesCard }] };
