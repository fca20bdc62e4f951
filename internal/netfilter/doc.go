// Package netfilter speaks to the kernel's packet filter: it replaces the product's table in
// one transaction, changes elements of its sets, reads its counters and its log, and lists and
// cuts connections. What the rules say is left to package packetfilter. It needs
// CAP_NET_ADMIN, so only the applier uses it.
package netfilter
