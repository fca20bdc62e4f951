package change

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"gateway/internal/intent"
	"gateway/internal/longtext"
)

// maxDiff bounds what the history keeps of one file.
const maxDiff = 64 << 10

// Diff is how files, by path, became others; those that stayed are left out.
func Diff(component string, was, now map[string]string) []intent.File {
	var out []intent.File
	all := maps.Clone(was)
	maps.Copy(all, now)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if was[path] == now[path] {
			continue
		}
		text := unified(path, was[path], now[path])
		if len(text) > maxDiff {
			text = text[:maxDiff] + "\n(cut here: the difference is longer)\n"
		}
		out = append(out, intent.File{Component: component, Path: path, Diff: text})
	}
	return out
}

// unified compares without what is the same at both ends, and counts it in afterwards: of
// ten thousand lines mostly one is another.
func unified(path, was, now string) string {
	head := commonHead(was, now)
	tail := commonTail(was[head:], now[head:])
	text := udiff.Unified("a"+path, "b"+path, was[head:len(was)-tail], now[head:len(now)-tail])
	skipped := strings.Count(was[:head], "\n")
	if skipped == 0 {
		return text
	}
	return hunk.ReplaceAllStringFunc(text, func(line string) string {
		m := hunk.FindStringSubmatch(line)
		from, _ := strconv.Atoi(m[1]) // it found digits
		to, _ := strconv.Atoi(m[3])
		return fmt.Sprintf("@@ -%d%s +%d%s @@", from+skipped, m[2], to+skipped, m[4])
	})
}

var hunk = regexp.MustCompile(`(?m)^@@ -([0-9]+)((?:,[0-9]+)?) \+([0-9]+)((?:,[0-9]+)?) @@`)

// around is how many lines a reader is shown around a difference.
const around = 3

// commonHead is the length of the lines that both begin with, but for the last few.
func commonHead(a, b string) int {
	n := longtext.CommonPrefix([]byte(a), []byte(b))
	for range around + 1 { // the first time to the beginning of the line
		n = strings.LastIndexByte(a[:max(0, n-1)], '\n') + 1
	}
	return n
}

// commonTail is the length of the lines that both end with, but for the first few.
func commonTail(a, b string) int {
	n := longtext.CommonSuffix([]byte(a), []byte(b))
	for range around + 1 {
		i := strings.IndexByte(a[len(a)-n:], '\n')
		if i < 0 {
			return 0
		}
		n -= i + 1
	}
	return n
}
