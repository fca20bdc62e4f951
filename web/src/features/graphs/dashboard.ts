import type { DashboardPart } from "@ui/feature";
import { HistoryCard } from "./HistoryCard";

export const part: DashboardPart = { cards: [{ order: 50, card: HistoryCard }] };
