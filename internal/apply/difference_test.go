package apply

import (
	"strings"
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/secret"
)

// A password that is a word of a file must not be told by its absence; a key is hidden wherever it is.
func TestThePasswordIsNotToldByWhatIsTakenOut(t *testing.T) {
	const key = "correct-horse-battery-staple"
	w := &worker{Engine: &Engine{}, daemon: daemon.Daemon{Config: daemon.Config{Name: "lamp"}}}
	j := job{secrets: []string{"gateway", key}, wanted: daemon.Rendering{Files: []daemon.File{
		{Path: "/etc/lamp.conf", Mode: 0o644, Data: []byte("logdir = /var/log/gateway-lamp\nkey = " + key + "\n")},
	}}}
	text := ""
	for _, f := range w.difference(j) {
		text += f.Diff
	}
	if !strings.Contains(text, "/var/log/gateway-lamp") || strings.Contains(text, key) || !strings.Contains(text, secret.Redacted) {
		t.Errorf("the history has %s", text)
	}
}
