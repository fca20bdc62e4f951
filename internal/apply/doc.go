// Package apply is the applier: one small privileged process behind a unix socket with
// typed verbs, and the client that the unprivileged processes call it with.
//
// The Engine brings what is installed and what runs to what the database wants, and
// keeps it there: it renders by itself from committed rows, lets each daemon check its
// files before they take their place, keeps the last good ones, and undoes what nobody
// confirmed. It is level-triggered: a notification, a request, a timer and a boot all
// only make it look again.
//
// No bytes to install ever cross the socket, and no command lines: a request names a
// verb and picks from enumerations. Who among the operators may ask is left to package
// api; here only the asking process is checked.
package apply
