package files

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenUndoesSeal(t *testing.T) {
	for _, data := range []string{"", "a\n", "server:\n\tport: 53\n", "no end of line"} {
		got, ok := Open(Seal([]byte(data)))
		if !ok || string(got) != data {
			t.Errorf("Open(Seal(%q)) = %q, %v", data, got, ok)
		}
	}
}

func TestEveryCutAndEveryFlippedBitIsFound(t *testing.T) {
	sealed := Seal([]byte("server:\n\tinterface: 127.0.0.1\n"))
	for n := range len(sealed) {
		if _, ok := Open(sealed[:n]); ok {
			t.Errorf("a file cut at byte %d passes", n)
		}
	}
	for bit := range len(sealed) * 8 {
		flipped := bytes.Clone(sealed)
		flipped[bit/8] ^= 1 << (bit % 8)
		if _, ok := Open(flipped); ok {
			t.Errorf("a file with bit %d flipped passes", bit)
		}
	}
}

func TestAWriteReplacesAndLeavesNothingBeside(t *testing.T) {
	tree := Tree{Root: t.TempDir()}
	for _, data := range []string{"one\n", "two\n"} {
		if err := tree.Write("/a.conf", []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
		got, damage, err := tree.Read("/a.conf")
		if string(got) != data || damage != Whole || err != nil {
			t.Errorf("read %q, %q, %v; want %q", got, damage, err, data)
		}
	}
	entries, err := os.ReadDir(tree.Root)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries (%v), want one", len(entries), err)
	}
	if info, err := os.Stat(filepath.Join(tree.Root, "a.conf")); err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v (%v), want 0640", info.Mode(), err)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	tree := Tree{Root: t.TempDir()}
	if err := tree.Write("/a.conf", []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The temporary name is taken by a folder, which cannot be written to.
	if err := os.Mkdir(temporary(filepath.Join(tree.Root, "a.conf")), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tree.Write("/a.conf", []byte("two\n"), 0o600); err == nil {
		t.Error("wrote through a folder")
	}
	if got, damage, _ := tree.Read("/a.conf"); string(got) != "one\n" || damage != Whole {
		t.Errorf("read %q, %q; want the old file", got, damage)
	}
}

func TestDamageIsNamed(t *testing.T) {
	tree := Tree{Root: t.TempDir()}
	if _, damage, err := tree.Read("/a.conf"); damage != Missing || err != nil {
		t.Errorf("%q, %v; want missing", damage, err)
	}
	if err := os.WriteFile(filepath.Join(tree.Root, "a.conf"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, damage, err := tree.Read("/a.conf"); damage != Edited || err != nil {
		t.Errorf("%q, %v; want edited", damage, err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	tree := Tree{Root: t.TempDir()}
	var got map[string]int
	if ok, err := tree.Load("/s", &got); ok || err != nil {
		t.Errorf("loaded nothing: %v, %v", ok, err)
	}
	want := map[string]int{"a": rand.IntN(100)}
	if err := tree.Save("/s", want); err != nil {
		t.Fatal(err)
	}
	if ok, err := tree.Load("/s", &got); !ok || err != nil || got["a"] != want["a"] {
		t.Errorf("loaded %v, %v, %v; want %v", got, ok, err, want)
	}
	if err := os.WriteFile(filepath.Join(tree.Root, "s"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := tree.Load("/s", &got); ok || err != nil {
		t.Errorf("a torn file loaded: %v, %v", ok, err)
	}
}

func TestModeOwnerAndGroupAreAsWritten(t *testing.T) {
	others := os.Getgid() + 1
	tree := Tree{Root: t.TempDir(), Group: func(name string) (int, error) {
		return map[string]int{"own": os.Getgid(), "other": others}[name], nil
	}}
	path := filepath.Join(tree.Root, "a")
	for _, tc := range []struct {
		name  string
		root  bool
		alter func() error
		want  bool
	}{
		{"nothing happened", false, func() error { return nil }, true},
		{"a missing file is a matter of Read", false, func() error { return os.Remove(path) }, true},
		{"others may read it", false, func() error { return os.Chmod(path, 0o644) }, false},
		{"it runs as its owner", false, func() error { return os.Chmod(path, 0o640|os.ModeSetuid) }, false},
		{"it is a link", false, func() error { return os.Rename(path, path+"b") }, false},
		{"it has another owner", true, func() error { return os.Chown(path, os.Getuid()+1, -1) }, false},
		{"it has another group", true, func() error { return os.Chown(path, -1, others) }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.root && os.Getuid() != 0 {
				t.Skip("giving files away needs root")
			}
			if err := tree.WriteFor("a", []byte("x\n"), 0o640, "own"); err != nil {
				t.Fatal(err)
			}
			if err := tc.alter(); err != nil {
				t.Fatal(err)
			}
			if tc.name == "it is a link" {
				if err := os.Symlink("ab", path); err != nil {
					t.Fatal(err)
				}
			}
			for _, group := range []string{"own", ""} {
				if got := tree.AsWritten("a", 0o640, group); got != tc.want {
					t.Errorf("AsWritten for the group %q = %v, want %v", group, got, tc.want)
				}
			}
			if tree.AsWritten("a", 0o640, "other") != (tc.name == "a missing file is a matter of Read" || tc.name == "it has another group") {
				t.Error("the group does not count")
			}
		})
	}
}

func TestAFileOfAFolderWithAGroupHasThatGroup(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("giving folders away needs root")
	}
	tree := Tree{Root: t.TempDir()}
	if err := os.Chown(tree.Root, -1, os.Getgid()+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tree.Root, 0o700|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	if err := tree.Write("a", []byte("x\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if !tree.AsWritten("a", 0o640, "") {
		t.Error("what was just written is not as it was written")
	}
}
