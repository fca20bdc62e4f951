export * from "./generated/zod.gen";
