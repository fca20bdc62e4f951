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
