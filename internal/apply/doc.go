// Package apply is the applier: one small privileged process behind a unix socket with
// typed verbs, and the client that the unprivileged processes call it with.
//
// No bytes to install ever cross the socket, and no command lines: a request names a
// verb and picks from enumerations. Rendering and installing come with the change
// engine; until then there are two verbs, "packet-filter" and "service", and the verb
// table that more will be added to. Who among the operators may ask is left to package
// api; here only the asking process is checked.
package apply
