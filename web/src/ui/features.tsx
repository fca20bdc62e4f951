import { createContext, useContext } from "react";
import type { Feature } from "./feature";

const Features = createContext<Feature[]>([]);

export const FeaturesProvider = Features.Provider;

/** useFeatures are all features of this build. */
export const useFeatures = () => useContext(Features);
