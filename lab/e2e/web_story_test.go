package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gateway/tools/bar"
)

const liveWithin = 2 * time.Second

// shows SETUP-04, AUTH-14, AUTH-17
func TestBarWeb01Story(t *testing.T) {
	webFolder(t)
	a := fresh(t)
	a.install(firstDeb(t))
	began := time.Now()
	var out struct {
		SignedIn string
		Recovery int
		Viewer   struct {
			Pages, Changes, Refused []string
			Pressed, Control        int
		}
		Live int
	}
	seen := a.browse("story", deeds{
		"setup-code": func(json.RawMessage) (any, error) { return a.run("gateway-ctl", "setup-code"), nil },
	}, &out, shots(t)...)
	took := time.Since(began)

	if out.SignedIn != "/" {
		t.Errorf("the wizard ended at %q, want the dashboard", out.SignedIn)
	}
	if out.Recovery != 10 {
		t.Errorf("%d recovery codes were shown, want 10", out.Recovery)
	}
	v := out.Viewer
	if len(v.Pages) < 10 || v.Pressed < bar.GateSize(20, 50, 50) {
		t.Errorf("the viewer pressed %d buttons on %v: that shows nothing", v.Pressed, v.Pages)
	}
	for _, r := range append(v.Refused, seen.Dialogs...) {
		t.Errorf("a viewer met what fails: %s", r)
	}
	if v.Control != 1 {
		t.Errorf("a change that a viewer may not make was noticed %d times, want once: nothing can be said about the others", v.Control)
	}
	t.Logf("the viewer pressed %d buttons on %v; sent %v", v.Pressed, v.Pages, v.Changes)
	live := time.Duration(out.Live) * time.Millisecond
	figure := fmt.Sprintf("%s in %.0f s; viewer: %d buttons on %d pages, %d refused, control %d; live after %d ms",
		verdict(t), took.Seconds(), v.Pressed, len(v.Pages), len(v.Refused), v.Control, out.Live)
	bar.ReportTimed(t, "web", 1, figure, fmt.Sprintf("passes, 0 refused, live <=%d ms", liveWithin.Milliseconds()), !t.Failed(), live <= liveWithin)
}

func verdict(t *testing.T) string {
	if t.Failed() {
		return "fails"
	}
	return "passes"
}

// shots tells the scripts where pictures go, when they are wanted: GATEWAY_SHOTS is a folder.
// docs/images has those that a page shows.
func shots(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("GATEWAY_SHOTS")
	if folder == "" {
		return nil
	}
	if !filepath.IsAbs(folder) {
		t.Fatalf("GATEWAY_SHOTS=%s is not an absolute path", folder)
	}
	return []string{"SHOTS=" + folder}
}
