package unbound

import "strings"

// option is one line of unbound.conf as unbound reads it, not as we wrote it.
type option struct {
	name   string
	values []string
}

// readConf takes a file apart the way unbound's lexer does: words between white space,
// quotes of both kinds that may stand anywhere, comments to the end of the line. A word with
// a colon at its end, outside of quotes, is an option, unless the one before it still waits
// for its value: an address may end like that.
func readConf(text string) []option {
	var all []option
	for text != "" {
		switch c := text[0]; c {
		case ' ', '\t', '\n', '\r':
			text = text[1:]
		case '#':
			_, text, _ = strings.Cut(text, "\n")
		case '"', '\'':
			var value string
			value, text = quoted(text[1:], c)
			all = addValue(all, value)
		default:
			n := strings.IndexAny(text, " \t\n\r\"'")
			if n < 0 {
				n = len(text)
			}
			word := text[:n]
			text = text[n:]
			if name, found := strings.CutSuffix(word, ":"); found && !waits(all) {
				all = append(all, option{name: name})
			} else {
				all = addValue(all, word)
			}
		}
	}
	return all
}

func waits(all []option) bool {
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	n, known := ours[last.name]
	return known && len(last.values) < n
}

// quoted ends at the quote, or at the end of the line, which unbound complains about.
func quoted(text string, quote byte) (value, rest string) {
	n := strings.IndexAny(text, string(quote)+"\n")
	if n < 0 {
		return text, ""
	}
	return text[:n], text[n+1:]
}

func addValue(all []option, value string) []option {
	if len(all) == 0 {
		return []option{{"", []string{value}}}
	}
	last := &all[len(all)-1]
	last.values = append(last.values, value)
	return all
}
