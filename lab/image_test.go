package lab_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gateway/lab"
)

// What was made and removed on a prepared node is so on those that start from it, which share nothing afterwards.
func TestNodesFromAnImage(t *testing.T) {
	needRoot(t)
	prepared, key := 0, fmt.Sprintf("test-%d", os.Getpid())
	prepare := func(l *lab.Lab) (*lab.Node, error) {
		prepared++
		n, err := l.StartNode(t.Context(), "gw1")
		if err != nil {
			return nil, err
		}
		out, err := n.Run(t.Context(), "sh", "-c", "echo made >/etc/made; rm -r /usr/share/doc/haproxy; mv /usr/share/doc/nftables /usr/share/doc/moved")
		if err != nil {
			t.Log(out)
		}
		return n, err
	}
	for _, name := range []string{"first", "second"} {
		image, err := lab.Image(t.Context(), key, prepare)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(image) })
		n := lab.New(t).Node("gw1", lab.From(image))
		got := n.MustRun(t, "sh", "-c", "cat /etc/made; ls -d /usr/share/doc/haproxy /usr/share/doc/nftables /usr/share/doc/moved/copyright 2>/dev/null || true; echo "+name+" >/etc/made")
		if want := "made\n/usr/share/doc/moved/copyright"; strings.TrimSpace(got) != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	if prepared != 1 {
		t.Errorf("prepared %d times, want once", prepared)
	}
}
