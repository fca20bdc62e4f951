package ctl

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"gateway/internal/api"
	"gateway/internal/fault"
)

const jsonFlag = "json"

// envelope is what every command prints with --json: the API's.
type envelope struct {
	Data  any        `json:"data"`
	Error *api.Error `json:"error"`
}

func asJSON(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool(jsonFlag)
	return err == nil && on
}

// say prints an answer: as the API would with --json, else in words.
func say(cmd *cobra.Command, data any, words func(w io.Writer)) error {
	if asJSON(cmd) {
		return printJSON(cmd, envelope{Data: data})
	}
	out := &checked{Writer: cmd.OutOrStdout()}
	words(out)
	if out.err != nil {
		return fmt.Errorf("print the answer: %w", out.err)
	}
	return nil
}

// checked remembers that something could not be written: half an export is none.
type checked struct {
	io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	var n int
	n, c.err = c.Writer.Write(p)
	return n, c.err
}

// tell is for what accompanies an answer, which a program does not read.
func tell(cmd *cobra.Command, format string, args ...any) {
	if !asJSON(cmd) {
		fmt.Fprint(cmd.OutOrStdout(), shown(fmt.Sprintf(format, args...)))
	}
}

// shown is a text that somebody else wrote, such as a row or a file of the API: without what a terminal obeys. Lines stay.
func shown(text string) string {
	return respelled(text, func(r rune) string {
		quoted := strconv.QuoteRuneToASCII(r)
		return quoted[1 : len(quoted)-1]
	})
}

// respelled is a text in which what a terminal obeys is written by spell.
func respelled(text string, spell func(rune) string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, hidden) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if hidden(r) {
			out.WriteString(spell(r))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func hidden(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }

// cell is shown for a column: nobody makes rows of their own with it.
func cell(text string) string { return cells.Replace(shown(text)) }

var cells = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// escaped is JSON without what a terminal obeys, for a person who looks at it; to a program it is the same. JSON itself leaves
// alone what begins at U+007F. All of it is within strings: nothing else is beyond ASCII there.
func escaped(text string) string {
	return respelled(text, func(r rune) (units string) {
		for _, unit := range utf16.Encode([]rune{r}) {
			units += fmt.Sprintf(`\u%04x`, unit)
		}
		return units
	})
}

func printJSON(cmd *cobra.Command, v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), escaped(text.String())); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return nil
}

func failureOf(err error) *api.Error {
	f, ok := fault.Of(err)
	if !ok {
		f = fault.With(fault.Internal, fault.SentenceOf(err))
	}
	out := &api.Error{Code: f.Code, Sentence: f.Sentence, Fields: f.Fields, Current: f.Current}
	if out.Fields == nil {
		out.Fields = []fault.Field{}
	}
	return out
}

// colours are for a person who looks at a terminal, and did not ask for none.
type colours bool

func coloursOf(w io.Writer) colours {
	if c, ok := w.(*checked); ok {
		w = c.Writer
	}
	return colours(os.Getenv("NO_COLOR") == "" && isTerminal(w))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

const (
	red    = "31"
	yellow = "33"
)

func (c colours) paint(colour, text string) string {
	if !c || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
