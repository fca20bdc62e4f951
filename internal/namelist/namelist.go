// Package namelist keeps lists of up to a million host names in parts, so that one name more is one
// small part, and answers Squid whether a name is in one of them. It is all that the program
// which Squid starts is made of, so it imports nothing but Go's library; storing lists and
// rendering their files is left to packages forwardproxy and squid.
package namelist

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// Program is what Squid starts. Its AppArmor profile allows programs of this folder only.
	Program = "/usr/lib/squid/gateway-squid-lists"
	// Most is how many names one list may have, MostOfAll how many all of them may.
	Most, MostOfAll = 1_000_000, 2_000_000
	// MostBytes and MostBytesOfAll are how long their files may be: a name has up to 253 bytes.
	MostBytes, MostBytesOfAll = 32 << 20, 64 << 20

	// perPart is how many names a part has, about; a list is split anew when it has twice as many.
	perPart = 4096
)

// Parts is the number of parts for a list of n names that is in have parts now; 0 for none.
func Parts(n, have int) int {
	parts := max(1, have)
	if n > 2*parts*perPart || have == 0 {
		for parts*perPart < n {
			parts *= 2
		}
	}
	return parts
}

// PartOf is the number of the part that a name is in. parts is a power of two.
func PartOf[T string | []byte](name T, parts int) int {
	return int(crc32.ChecksumIEEE([]byte(name))) & (parts - 1)
}

// Split is the names by part, sorted and each once.
func Split(names []string, parts int) [][]string {
	out := make([][]string, parts)
	for _, n := range names {
		i := PartOf(n, parts)
		out[i] = append(out[i], n)
	}
	for i := range out {
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// Text is a part as it is stored and as its file is: a name per line.
func Text(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, "\n") + "\n"
}

// Hash identifies the text of a part.
func Hash[T string | []byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Names reads Text.
func Names(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

var listName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// IsName reports whether a list may be called so: the name is a word of Squid's file, and a part of
// the names of files.
func IsName(text string) bool { return listName.MatchString(text) }

// File is the name of the file of a part. It says of how many the part is one: a list that is being
// split anew has the files of both for a moment.
func File(list string, parts, number int) string {
	return fmt.Sprintf("%s.%d.%d", list, parts, number)
}

// readFile reads File.
func readFile(name string) (list string, parts, number int, ok bool) {
	fields := strings.Split(name, ".")
	if len(fields) != 3 || !IsName(fields[0]) {
		return "", 0, 0, false
	}
	parts, errA := strconv.Atoi(fields[1])
	number, errB := strconv.Atoi(fields[2])
	ok = errA == nil && errB == nil && parts >= 1 && parts <= 4096 && number >= 0 && number < parts && name == File(fields[0], parts, number)
	return fields[0], parts, number, ok
}
