// Package longtext finds where two long texts begin to differ: of ten thousand lines mostly one
// has changed, and looking at all of them would take longer than the change itself.
package longtext

import "bytes"

// block is how many bytes are compared at once before it is told where they differ.
const block = 4096

// CommonPrefix is how many bytes a and b begin with alike.
func CommonPrefix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+block <= most && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// CommonSuffix is how many bytes a and b end with alike.
func CommonSuffix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+block <= most && bytes.Equal(a[len(a)-n-block:len(a)-n], b[len(b)-n-block:len(b)-n]) {
		n += block
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Differing is the part of two texts that is not the same in both, in whole lines: it begins
// at from in both, and ends at endA and endB.
func Differing(a, b []byte) (from, endA, endB int) {
	from = bytes.LastIndexByte(a[:CommonPrefix(a, b)], '\n') + 1
	same := CommonSuffix(a[from:], b[from:])
	begins := func(text []byte) bool { i := len(text) - same; return i == from || text[i-1] == '\n' }
	if same > 0 && !(begins(a) && begins(b)) {
		// What ends alike begins within a line; the next line is the first that is common.
		common := a[len(a)-same:]
		if i := bytes.IndexByte(common, '\n'); i >= 0 {
			same = len(common) - i - 1
		} else {
			same = 0
		}
	}
	return from, len(a) - same, len(b) - same
}
