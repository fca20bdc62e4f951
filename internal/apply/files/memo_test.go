package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAMemoBelievesOnlyWhatSettled(t *testing.T) {
	tree := Tree{Root: t.TempDir()}
	if err := tree.Write("a", []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var m Memo
	now, later := time.Now(), time.Now().Add(time.Minute)
	for i, step := range []struct {
		says string
		at   time.Time
		want bool
	}{
		{"a file that is new is read", now, false},
		{"and read again, for it was written just now", now, false},
		{"and read once more, when that is a while ago", later, false},
		{"then it need not be", later, true},
	} {
		if got := m.Look(tree, "a", step.at); got != step.want {
			t.Errorf("%d: %s: Look = %v, want %v", i, step.says, got, step.want)
		}
	}
	// Damage that keeps the size and puts the time back.
	path := filepath.Join(tree.Root, "a")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if m.Look(tree, "a", later) {
		t.Error("a file that was changed need not be read")
	}
	m.Forget("a")
	if m.Look(tree, "a", later) || m.Look(tree, "b", later) {
		t.Error("what was forgotten, or is not there, need not be read")
	}
}
