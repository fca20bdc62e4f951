package unbound

import (
	"bytes"

	"gateway/internal/longtext"
)

// trimCommon leaves away the common prefix and the common suffix of two lists of lines, so that
// ten thousand lines of which one differs cost next to nothing. The lines of one owner stay
// together.
func trimCommon(was, is []byte) ([]byte, []byte) {
	start := lineStart(was, longtext.CommonPrefix(was, is))
	for start > 0 {
		before := lineStart(was, start-1)
		if o := owner(was[before:]); o != owner(was[start:]) && o != owner(is[start:]) {
			break
		}
		start = before
	}
	return trimCommonSuffix(was[start:], is[start:])
}

func trimCommonSuffix(was, is []byte) ([]byte, []byte) {
	end := was[len(was)-longtext.CommonSuffix(was, is):]
	a, b := was[:len(was)-len(end)], is[:len(is)-len(end)]
	if !wholeLines(a) || !wholeLines(b) {
		end = nextLine(end)
	}
	for ; len(end) > 0; end = nextLine(end) {
		a, b = was[:len(was)-len(end)], is[:len(is)-len(end)]
		if o := owner(end); o != lastOwner(a) && o != lastOwner(b) {
			break
		}
	}
	return was[:len(was)-len(end)], is[:len(is)-len(end)]
}

func wholeLines(list []byte) bool { return len(list) == 0 || list[len(list)-1] == '\n' }

func nextLine(list []byte) []byte {
	if i := bytes.IndexByte(list, '\n'); i >= 0 {
		return list[i+1:]
	}
	return nil
}

// lineStart is where the line begins that holds the byte at n; -1 for a list that has none.
func lineStart(list []byte, n int) int {
	if n < 0 {
		return -1
	}
	return bytes.LastIndexByte(list[:n], '\n') + 1
}

// owner is that of the first line.
func owner(list []byte) string {
	line, _, _ := bytes.Cut(list, []byte("\n"))
	name, _ := lineOwner(string(line))
	return name
}

func lastOwner(list []byte) string {
	if len(list) == 0 {
		return ""
	}
	return owner(list[lineStart(list, len(list)-1):])
}
