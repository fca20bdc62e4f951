/** filtering is what all resources of the packet filter have in common. */
export const filtering = { tag: "firewall", component: "firewall" } as const;
