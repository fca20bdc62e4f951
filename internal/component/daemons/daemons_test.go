package daemons_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/daemons"
)

func TestEveryNameInAfterIsADaemonBeforeWhichItselfDoesNotCome(t *testing.T) {
	after := map[string][]string{}
	for _, d := range daemons.New(daemons.Deps{}).All {
		if _, twice := after[d.Name]; twice {
			t.Errorf("%s is there twice", d.Name)
		}
		after[d.Name] = d.After
	}
	var reaches func(from, to string, steps int) bool
	reaches = func(from, to string, steps int) bool {
		return steps < len(after) && slices.ContainsFunc(after[from], func(next string) bool { return next == to || reaches(next, to, steps+1) })
	}
	for name, others := range after {
		for _, other := range others {
			if _, there := after[other]; !there {
				t.Errorf("%s comes after %s, which is no daemon", name, other)
			}
		}
		if reaches(name, name, 0) {
			t.Errorf("%s comes after itself: each would wait for the other", name)
		}
	}
}

// What holds for all is tested in the folder of each.
func TestEveryDaemonIsHeldToTheContract(t *testing.T) {
	for _, d := range daemons.New(daemons.Deps{}).All {
		held := false
		err := fs.WalkDir(os.DirFS("../"+d.Name), ".", func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				text, readErr := os.ReadFile("../" + d.Name + "/" + path)
				held, err = held || strings.Contains(string(text), "componenttest.Contract("), readErr
			}
			return err
		})
		if err != nil || !held {
			t.Errorf("no test below component/%s calls componenttest.Contract: %v", d.Name, err)
		}
	}
}
