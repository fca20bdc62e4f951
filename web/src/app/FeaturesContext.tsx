import type { Feature } from "@ui/feature";
import { createContext, useContext } from "react";

const Features = createContext<Feature[]>([]);

export const FeaturesProvider = Features.Provider;

/** useFeatures are all features of this build. */
export const useFeatures = () => useContext(Features);
