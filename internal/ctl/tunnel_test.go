package ctl_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/component/tunnel/wireguard"
)

// filesOf is an applier that has files of wg-quick, and has applied whatever it is asked.
func filesOf(t *testing.T, files ...wireguard.File) (socket string) {
	t.Helper()
	out, err := json.Marshal(wireguard.Files{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gw") // a test's own folder makes too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done; _ = os.RemoveAll(dir) })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			fmt.Fprintf(conn, `{"loaded":true,"state":"live","states":[],"out":%s}`+"\n", out)
			_ = conn.Close()
		}
	}()
	return filepath.Join(dir, "s")
}

// shows CTL-06
func TestTunnelsAreImported(t *testing.T) {
	corpus := func(name string) wireguard.File {
		text, err := os.ReadFile(filepath.Join("..", "component", "tunnel", "wgquick", "testdata", name+".conf"))
		if err != nil {
			t.Fatal(err)
		}
		return wireguard.File{Name: name, Text: string(text)}
	}
	n := node{t: t, socket: filesOf(t, corpus("commands"), corpus("names"), corpus("xport"))}
	n.App, _ = apptest.Ready(t, func(c *app.Config) { c.ApplySocket = n.socket })
	if _, err := n.try("tunnel-import", "nowhere"); code(err) != 4 || !strings.Contains(fmt.Sprint(err), "nowhere") {
		t.Errorf("a file that is not there: %v", err)
	}
	if out, code := n.run("tunnel-import", "names"); code != 0 || out != "names: imported with 5 peers\n" {
		t.Errorf("one by its name: %d %s", code, out)
	}
	out, code := n.run("tunnel-import")
	for _, want := range []string{"commands: imported with 1 peers; left out: PreUp (line 5), PostUp (line 6)", "names: not imported: is a tunnel already", "xport: not imported: line 4"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("all of them: %d %s, want %q", code, out, want)
		}
	}
}
