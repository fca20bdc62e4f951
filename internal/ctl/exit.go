package ctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// The exit codes. Scripts go by them: none changes its meaning.
const (
	exitFailed = 1 + iota
	exitUsage
	exitProblems
	exitRefused
	exitUnavailable
	exitNotLive
)

// exitCodes is what the help and the manual say of them.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{0, "Done."},
	{exitFailed, "Failed; the message says why."},
	{exitUsage, "Wrong usage: unknown command or flag, wrong arguments."},
	{exitProblems, "Problems: status or problems found one of severity error or critical. For status also: the database does not answer, or a required service is not running."},
	{exitRefused, "Refused: the request is not valid, or conflicts with the state of the node."},
	{exitUnavailable, "Unavailable: the database, the applier or a daemon does not answer, or is busy. Try again."},
	{exitNotLive, "Not live: the change is saved but not applied, or was reverted."},
}

// coded is an error that knows its exit code.
type coded struct {
	code int
	text string
	said bool // the answer is printed already; this only says what to make of it
	err  error
}

func (c *coded) Error() string { return c.text }
func (c *coded) ExitCode() int { return c.code }
func (c *coded) Unwrap() error { return c.err }

// verdict ends a command that has printed its answer.
func verdict(code int, format string, args ...any) error {
	return &coded{code: code, text: shown(fmt.Sprintf(format, args...)), said: true}
}

func usage(cmd *cobra.Command, err error) error {
	line := cmd.UseLine()
	if !cmd.HasParent() {
		line = cmd.Name() + " COMMAND [flags]"
	}
	return &coded{code: exitUsage, text: fmt.Sprintf("%v\nusage: %s\n%s --help says more", err, line, cmd.CommandPath()), err: err}
}

// Execute runs the command line. Its error knows the exit code; with --json it is printed, too.
func Execute(ctx context.Context, root *cobra.Command) error {
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return nil
	}
	var known *coded
	if errors.As(err, &known) && known.said {
		return known
	}
	if known != nil && asJSON(cmd) { // wrong usage
		failure := &api.Error{Code: "usage", Sentence: fault.SentenceOf(known.err), Fields: []fault.Field{}}
		if err := printJSON(cmd, envelope{Error: failure}); err != nil {
			return err
		}
	}
	if known != nil {
		return known
	}
	if asJSON(cmd) {
		if err := printJSON(cmd, envelope{Error: failureOf(err)}); err != nil {
			return err
		}
	}
	return &coded{code: codeOf(err), text: shown(explain(err)), err: err}
}

func codeOf(err error) int {
	f, ok := fault.Of(err)
	switch {
	case ok && slices.Contains([]fault.Kind{fault.Unavailable, fault.TooMany}, f.Kind), !ok && db.Unavailable(err):
		return exitUnavailable
	case ok && f.Kind != fault.Internal:
		return exitRefused
	default:
		return exitFailed
	}
}

// explain spells out what a page would show at its fields.
func explain(err error) string {
	f, ok := fault.Of(err)
	if !ok {
		return err.Error()
	}
	var text strings.Builder
	text.WriteString(f.Message)
	for _, field := range f.Fields {
		if strings.HasSuffix(f.Message, field.Message) { // a batch's message ends with that of its operation
			continue
		}
		text.WriteString("\n  " + field.Name + " " + field.Message)
	}
	if f.Current != nil {
		if raw, err := json.MarshalIndent(f.Current, "  ", "  "); err == nil {
			text.WriteString("\n  " + string(raw))
		}
	}
	return text.String()
}
