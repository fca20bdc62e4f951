package sys

import (
	"bytes"
	"testing"
)

func TestWhatAConfinedProgramSaidTakesNoMoreThanItSaid(t *testing.T) {
	const said = 3 << 20
	io, err := newConfinedIO(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer io.close()
	if _, err := io.stdout.Write(bytes.Repeat([]byte("x"), said)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ limit, want int }{{64 << 20, said}, {said, said}, {1 << 10, 1 << 10}, {0, defaultMaxOutput}} {
		got := io.read(io.stdout, c.limit)
		if len(got) != c.want || cap(got) != c.want {
			t.Errorf("limit %d: %d bytes in a buffer of %d, not %d", c.limit, len(got), cap(got), c.want)
		}
	}
	if got := io.read(io.stderr, 64<<20); cap(got) != 0 {
		t.Errorf("a buffer of %d for nothing", cap(got))
	}
}
