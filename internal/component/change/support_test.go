package change

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gateway/internal/daemon"
	"gateway/internal/secret"
)

// A preview shows that there is a key where somebody may look for it. A support bundle goes to somebody else.
func TestFilesWithSecretsAreInNoSupportBundle(t *testing.T) {
	preview, err := json.Marshal([]Preview{{Component: "tunnel", Files: map[string]string{
		"/etc/gateway/keys": "private wg0 " + secret.Redacted + "\n", "/etc/gateway/tunnels": "wg0 10.8.0.1/24\n",
		"/etc/radius/users": daemon.File{Mode: 0o600, Data: []byte("hunter2")}.Text(),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	text, err := files("tunnel")(t.Context(), func(_ context.Context, path string) (json.RawMessage, error) { asked = path; return preview, nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := "/system/config-preview?generator=tunnel"; asked != want {
		t.Errorf("asked for %s, want %s", asked, want)
	}
	want := "==> /etc/gateway/keys <==\n(content not shown: it holds secrets)\n\n==> /etc/gateway/tunnels <==\nwg0 10.8.0.1/24\n\n==> /etc/radius/users <==\n(content not shown: it holds secrets; version "
	if got := string(text); !strings.HasPrefix(got, want) || strings.Contains(got, "hunter2") {
		t.Errorf("files = %s, want %s", got, want)
	}
}
