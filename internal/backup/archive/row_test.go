package archive

import (
	"bytes"
	"testing"
)

func TestARowHasALimit(t *testing.T) {
	part := bytes.Repeat([]byte{'a'}, ChunkSize)
	var f rowForm
	for i := range 2 * maxRow / ChunkSize { // two rows of the greatest length
		if !f.fits(part) {
			t.Fatalf("refused after %d parts", i)
		}
		if (i+1)%(maxRow/ChunkSize) == 0 && !f.fits([]byte{'\n'}) {
			t.Fatal("the end of a row was refused")
		}
	}
	for range maxRow / ChunkSize {
		f.fits(part)
	}
	if f.fits([]byte("a\n")) {
		t.Error("a row that is one byte too long was taken")
	}
}
