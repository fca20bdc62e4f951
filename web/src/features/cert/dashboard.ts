import type { DashboardPart } from "@ui/feature";
import { ExpiryCard } from "./ExpiryCard";

export const part: DashboardPart = { cards: [{ order: 20, card: ExpiryCard }] };
