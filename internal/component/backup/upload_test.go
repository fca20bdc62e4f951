package backup

import (
	"bytes"
	"testing"
)

func TestWhatIsReadTwiceIsProgressOnce(t *testing.T) {
	var done []int64
	u := &uploads{tell: func(n, _ int64) { done = append(done, n) }}
	const size = 100
	for range 2 { // of two targets, each of which reads for the hash first
		c := &counted{ReaderAt: bytes.NewReader(make([]byte, size)), of: u, total: 2 * size}
		for range 2 {
			if _, err := c.ReadAt(make([]byte, size), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := done[len(done)-1]; got != 2*size || done[1] != size {
		t.Errorf("progress = %v, want %d after the first target and %d in the end", done, size, 2*size)
	}
}
