package policy

import (
	"errors"
	"testing"
)

func TestSnapshots(t *testing.T) {
	for _, tc := range []struct {
		name       string
		later, was string
		want       bool
	}{
		{"the same one holds itself", "10:20:10,14", "10:20:10,14", true},
		{"a later one holds an earlier one", "20:30:20", "10:20:10,14", true},
		{"one of before does not", "10:15:10", "10:20:10,14", false},
		{"one that misses what the other saw does not", "12:25:12", "10:20:10,14", false},
		{"what both did not see is no matter", "14:25:14", "10:20:10,14", true},
	} {
		later, err1 := parseSnapshot(tc.later)
		was, err2 := parseSnapshot(tc.was)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if got := later.holds(was); got != tc.want {
			t.Errorf("%s: %s holds %s = %t, want %t", tc.name, tc.later, tc.was, got, tc.want)
		}
	}
	for _, bad := range []string{"", "1:2", "a:b:", "1:2:x"} {
		if s, err := parseSnapshot(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, s)
		}
	}
}
