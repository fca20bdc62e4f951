package diag

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/diag/bundle"
)

const bundlePath = "/diagnostics/support-bundle"

// bundled is a node whose bundles have what one made-up area declares.
func bundled(t *testing.T, files ...component.Support) *componenttest.Rig {
	t.Helper()
	area := component.Component{Name: "area", Support: files}
	return componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		c := New(Options{Run: r.Run, Bundle: bundle.Maker{
			Components: func() []component.Component { return []component.Component{area} }, Managed: func(string) bool { return false },
			Hostname: func() string { return "gw1" }, Limits: bundle.Defaults(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
		}})
		own := c.Routes
		c.Routes = func(r api.Router) {
			own(r)
			answers := func(context.Context, *struct{}) (*api.Body[string], error) { return api.OK("it is here"), nil }
			api.Handle(r, api.Op{ID: "shown", Method: http.MethodGet, Path: "/shown", Access: api.Viewer}, answers)
			api.Handle(r, api.Op{ID: "hidden", Method: http.MethodGet, Path: "/hidden"}, answers)
		}
		return c
	}})
}

// What is for administrators only is in no bundle, though an administrator asks for it and an area declares it.
func TestABundleHasWhatViewersMayReadAndIsForAdministrators(t *testing.T) {
	r := bundled(t, component.Support{File: "shown.json", Read: component.Answer("/shown")}, component.Support{File: "hidden.json", Read: component.Answer("/hidden")})
	r.As("viewer", "GET", bundlePath, nil).Want(http.StatusForbidden)
	files, err := bundle.Unpack(strings.NewReader(r.Do("GET", bundlePath, nil).Want(http.StatusOK).Text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(files["area/shown.json"]); got != "\"it is here\"\n" {
		t.Errorf("what viewers may read = %s", got)
	}
	if got := string(files["area/hidden.json"]); !strings.Contains(got, "requires the role admin") || strings.Contains(got, "it is here") {
		t.Errorf("what they may not = %s", got)
	}
	about, err := bundle.ManifestOf(files)
	if err != nil || about.MadeBy != "ann@example.com" {
		t.Errorf("manifest = %+v, %v", about, err)
	}
	var entries int
	var subject string
	if err := r.Pool.QueryRow(t.Context(), `select count(id), min(subject) from audit_entries where action = 'diag.support_bundle'`).Scan(&entries, &subject); err != nil ||
		entries != 1 || !strings.HasPrefix(subject, "gateway-support-gw1-") {
		t.Errorf("%d entries in the audit log, of %q, want one of the bundle: %v", entries, subject, err)
	}
}

func TestOneBundleIsMadeAtATime(t *testing.T) {
	began, goOn := make(chan struct{}, 2), make(chan struct{})
	r := bundled(t, component.Support{File: "slow.txt", Read: func(ctx context.Context, _ component.Get) ([]byte, error) {
		began <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return []byte("slow"), nil
	}})
	first := make(chan int, 1)
	go func() { first <- r.Do("GET", bundlePath, nil).Status }()
	<-began
	if a := r.Do("GET", bundlePath, nil).Want(http.StatusConflict); a.Error.Code != "bundle_running" {
		t.Errorf("a second one is answered %+v", a.Error)
	}
	close(goOn)
	if got := <-first; got != http.StatusOK {
		t.Errorf("the first is answered %d", got)
	}
	r.Do("GET", bundlePath, nil).Want(http.StatusOK)
}

func TestHalfAnAnswerIsNoFile(t *testing.T) {
	get := func(context.Context, string) (json.RawMessage, error) { return json.RawMessage(`{"cut`), nil }
	if data, err := component.Answer("/x")(t.Context(), get); err == nil {
		t.Errorf("half an answer is a file: %s", data)
	}
}
