// Package sys is the only access to the host: programs, /proc, network links,
// systemd units, Debian packages and the packet filter's presence. It is the only
// importer of os/exec. It reports and does what it is told; which unit, package or
// table matters, and who may ask, is left to its callers.
//
// There is no interface to implement here. Callers declare the one or two methods
// they use and take Host, Units, Apt or Nft for them.
package sys
