/** networked is what all resources of the network have in common. */
export const networked = { tag: "network", component: "network" } as const;
