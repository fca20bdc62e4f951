package unbound

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// rendering is a file with that text.
func rendering(text string) daemon.Rendering {
	return daemon.Rendering{Files: []daemon.File{{Path: Path, Mode: 0o644, Data: []byte(text)}}}
}

func TestARefusalIsInTheOperatorsWords(t *testing.T) {
	d := New(Options{Exec: componenttest.Exec(t)})
	for _, tc := range []struct{ name, text, want string }{
		{"an unknown word is shown where it stands", "server:\n\tprefetch: yes\n\tnonsense: canary\n", "line 3 of its configuration: nonsense: canary"},
		{"a wrong record has no line", "server:\n\tlocal-data: \"a. 60 IN A canary\"\n", "the preview"},
		{"an unfinished file", "server:\n\tlocal-data: \"a. 60 IN A 192.0.2.1\n", ""},
		{"what would read another file", "include: \"/proc/self/status\"\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := componenttest.Check(t, d.Config, rendering(tc.text))
			f, ok := fault.Of(err)
			if !ok || f.Kind != fault.Invalid || f.Code != "refused_by_unbound" || !strings.Contains(f.Message, tc.want) {
				t.Fatalf("err = %v, want a refusal with %q", err, tc.want)
			}
			for _, raw := range []string{"error", "unbound-checkconf", "/proc", "Name:"} {
				if strings.Contains(f.Message, raw) {
					t.Errorf("the message quotes the daemon: %s", f.Message)
				}
			}
		})
	}
	if err := componenttest.Check(t, d.Config, rendering("server:\n\tprefetch: yes\n")); err != nil {
		t.Errorf("a good file: %v", err)
	}
}

// What is not the file's fault is not said to be.
func TestACheckThatCouldNotBeMade(t *testing.T) {
	broken := errors.New("no such program")
	d := New(Options{Exec: func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, broken }})
	err := componenttest.Check(t, d.Config, rendering("server:\n"))
	if _, said := fault.Of(err); said || !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
	if err := d.Check(t.Context(), t.TempDir()); err == nil {
		t.Error("no file passes for a good one")
	}
}

func TestTheMemoIsBounded(t *testing.T) {
	m := &memo{}
	rows := []row{{"a.example.com.", "A", "192.0.2.1", 60}, {"b.example.com.", "CNAME", "a.example.com.", 60}}
	for i := range 5000 {
		rows[0].TTL = int32(i)
		if s := (state{settings: defaults(), records: rows, zones: []Zone{{Name: "example.com"}}}); len(render(s, m).Problems) != 0 {
			t.Fatal("left out")
		}
		if n := m.size(); n > 1100 {
			t.Fatalf("after %d renderings of 2 rows it holds %d", i, n)
		}
	}
	if got := string(render(state{settings: defaults(), records: rows, zones: []Zone{{Name: "example.com"}}}, m).File(Path)); !strings.Contains(got, fmt.Sprintf("%d IN A", 4999)) {
		t.Errorf("it remembers too well:\n%s", got)
	}
}
