// Package docs reads the pages of the documentation for the tests that hold them to
// what they say: command blocks are run, figures are measured, names of the UI are its
// own. Running the commands is left to lab/e2e.
//
// A page marks its blocks by language. A block of "sh" is run. A block of "console" is
// shown only, and a comment above it says why: <!-- not run: needs a reboot -->. The
// other languages are no commands. A block without a language is a mistake.
package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Block is one fenced block of a page.
type Block struct {
	Page    string
	Line    int // of its first line of text
	Heading string
	Lang    string
	Text    string
	Reason  string // why a block of "console" is not run
}

// Where names the block in a message.
func (b Block) Where() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// noCommands are the languages of blocks that nobody would type into a shell.
var noCommands = []string{"go", "json", "yaml", "ini", "text", "diff"}

var notRun = regexp.MustCompile(`^<!-- not run: (\S.*) -->$`)

// Blocks returns the blocks of a page, and what is wrong with their marks.
func Blocks(page, text string) (blocks []Block, wrong []string) {
	var open *Block
	heading, above := "", ""
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case open != nil && isFence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Text += line + "\n"
		case isFence:
			open = &Block{Page: page, Line: i + 2, Heading: heading, Lang: fence, Reason: reason(above)}
			if w := open.wrong(); w != "" {
				wrong = append(wrong, open.Where()+": "+w)
			}
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		}
		if line != "" {
			above = line
		}
	}
	if open != nil {
		wrong = append(wrong, open.Where()+": the block does not end")
	}
	return blocks, wrong
}

func reason(above string) string {
	if m := notRun.FindStringSubmatch(above); m != nil {
		return m[1]
	}
	return ""
}

func (b Block) wrong() string {
	switch {
	case b.Lang == "sh" && b.Reason != "":
		return "a block of sh is run: one that is not is a block of console"
	case b.Lang == "console" && b.Reason == "":
		return "a block of console says why it is not run: <!-- not run: … -->"
	case b.Lang == "sh", b.Lang == "console", slices.Contains(noCommands, b.Lang):
		return ""
	}
	return fmt.Sprintf("%q is neither sh nor console nor one of %s", b.Lang, strings.Join(noCommands, ", "))
}

// withoutBlocks is a page's text with its blocks empty.
func withoutBlocks(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
}
