package ctl

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Manual writes the manual page from the table of commands. It names no version and no day,
// so that it is another one only when a command is.
func Manual(w io.Writer) {
	root := New()
	m := manual{w}
	m.line(`.\" Made from the table of commands by "go test ./internal/ctl -update".`)
	m.line(`.TH GATEWAY\-CTL 8 "" "gateway" "System administration"`)
	m.section("NAME")
	m.line(roff(root.Name()) + ` \- ` + roff(lowerFirst(root.Short)))
	m.section("SYNOPSIS")
	m.line(`.B ` + roff(root.Name()))
	m.line(roff("COMMAND [ARGUMENTS] [OPTIONS]"))
	m.section("DESCRIPTION")
	m.text(root.Long)
	m.section("COMMANDS")
	visible := visibleCommands(root)
	for _, cmd := range visible {
		m.command(cmd)
	}
	m.section("OPTIONS")
	m.line(".PP\nFor every command:")
	m.flags(root.PersistentFlags().FlagUsagesWrapped(flagWidth))
	m.line(".PP\nInstead of a command:")
	m.flags(root.LocalNonPersistentFlags().FlagUsagesWrapped(flagWidth))
	m.section("EXIT STATUS")
	for _, e := range exitCodes {
		m.entry(fmt.Sprintf(`.B %d`, e.code))
		m.text(e.meaning)
	}
	m.section("FILES")
	m.entry(`.I /var/lib/gateway`)
	m.text("Keys and setup state.")
	m.entry(`.I /run/gateway/apply.sock`)
	m.text("How gateway-apply is asked.")
	m.section("EXAMPLES")
	for _, cmd := range visible {
		if cmd.Example != "" {
			m.line(".PP\n.nf\n.RS\n" + roffLines(cmd.Example) + "\n.RE\n.fi")
		}
	}
	m.section("SEE ALSO")
	m.line(`.BR systemctl (1),` + "\n" + `.BR journalctl (1),` + "\n" + `/usr/share/doc/gateway/README.md`)
}

// visibleCommands are those that are for operators.
func visibleCommands(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			all = append(all, cmd)
		}
	}
	return all
}

type manual struct{ w io.Writer }

func (m manual) line(text string)    { fmt.Fprintln(m.w, text) }
func (m manual) section(name string) { m.line(".SH " + name) }

// text writes paragraphs; where their lines end is the reader's matter.
func (m manual) text(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			m.line(".sp")
		}
		m.line(roffLines(strings.Join(strings.Fields(paragraph), " ")))
	}
}

func (m manual) command(cmd *cobra.Command) {
	name, arguments, _ := strings.Cut(cmd.Use, " ")
	m.entry(tag(roff(name), roff(arguments)))
	m.text(cmd.Short + ".")
	if cmd.Long != "" {
		m.line(".sp")
		m.text(cmd.Long)
	}
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		m.flags(flags.FlagUsagesWrapped(flagWidth))
	}
}

// tag is a name in bold with what follows it in italics.
func tag(name, argument string) string {
	if argument == "" {
		return `.B "` + name + `"`
	}
	return `.BI "` + name + `" " ` + argument + `"`
}

func (m manual) entry(tag string) { m.line(".TP\n" + tag) }

// flags writes them as the help does, which has aligned them already.
func (m manual) flags(text string) {
	m.line(".sp\n.nf\n" + roffLines(strings.TrimRight(text, "\n")) + "\n.fi")
}

// flagWidth is what fits a page of 80 columns beside its indent.
const flagWidth = 68

var roffEscapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `…`, `\[u2026]`, `"`, `\(dq`)

// roff is a text within a line.
func roff(text string) string { return roffEscapes.Replace(text) }

// roffLines is a text of whole lines: none of them is a request.
func roffLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = roff(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }
