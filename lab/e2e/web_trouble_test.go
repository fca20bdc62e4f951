package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// What a person may have to wait for the banner, and until everything works again.
const (
	bannerWithin = 15 * time.Second // an idle page asks for the health every 10 s
	healWithin   = 15 * time.Second
)

// shows UI-05
func TestBarWeb07Trouble(t *testing.T) {
	a := site(t)
	next := otherBuild(t)
	do := a.accounts()
	for name, line := range map[string]string{
		"stop-postgres":  "systemctl stop postgresql postgresql@17-main",
		"start-postgres": "systemctl start postgresql",
		"stop-api":       "systemctl stop gateway-api.socket gateway-api.service 2>/dev/null || systemctl stop gateway-api.service",
		"start-api":      "systemctl start gateway-api.service",
		"restart-api":    "systemctl restart gateway-api.service",
	} {
		do[name] = func(json.RawMessage) (any, error) { return a.sh(line), nil }
	}
	do["upgrade"] = func(json.RawMessage) (any, error) { return a.dpkg(next), nil }
	t.Cleanup(func() { // others use this node too, and a test's own context is over by now
		if out, err := a.node.Run(context.Background(), "systemctl", "start", "postgresql", "gateway-api.service"); err != nil {
			t.Errorf("start everything again: %v: %s", err, out)
		}
		a.tamper("delete from users where email = 'typed-meanwhile@example.com'")
	})
	var out struct {
		Steps, Unseen               []string
		DatabaseBanner, APIBanner   int
		DatabaseBack, APIBack       int
		OutdatedBanner              int
		Saved, Renewed, StaleHealed bool
		Loads, StaleLoads           int
	}
	a.browse("outage", do, &out)
	t.Logf("%s", strings.Join(out.Steps, ", "))
	for _, what := range out.Unseen {
		t.Errorf("an open page that nobody touches does not tell that the %s is away", what)
	}
	if !out.Saved {
		t.Error("the form that was open during all of it could not be saved")
	}
	if !out.Renewed || out.Loads != 1 {
		t.Errorf("after the upgrade the next page came by %d loads, with new code: %v; want one", out.Loads, out.Renewed)
	}
	if !out.StaleHealed || out.StaleLoads != 1 {
		t.Errorf("a chunk that is gone caused %d reloads and showed the page: %v; want one", out.StaleLoads, out.StaleHealed)
	}
	banner, back := max(out.DatabaseBanner, out.APIBanner), max(out.DatabaseBack, out.APIBack)
	figure := fmt.Sprintf("%s: banner after %d ms, recovered after %d ms, told of the upgrade after %d ms, next page by %d load, form saved afterwards: %v",
		verdict(t), banner, back, out.OutdatedBanner, out.Loads, out.Saved)
	target := fmt.Sprintf("banner <=%.0f s, recovered <=%.0f s, no reload by hand, nothing typed lost", bannerWithin.Seconds(), healWithin.Seconds())
	bar.ReportTimed(t, "web", 7, figure, target, !t.Failed() && banner > 0,
		banner <= int(bannerWithin.Milliseconds()) && back <= int(healWithin.Milliseconds()))
}

var hashed = regexp.MustCompile(`^(.+)(\.[a-z0-9]+)$`)

// otherBuild is a package whose SPA has other file names, as a changed build has. It is the
// same code, so that nothing has to be compiled by Node again.
func otherBuild(t *testing.T) string {
	t.Helper()
	dist, to := filepath.Join(webFolder(t), "dist"), t.TempDir()
	rename := map[string]string{}
	list, err := os.ReadDir(filepath.Join(dist, "assets"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		rename[e.Name()] = hashed.ReplaceAllString(e.Name(), "${1}n${2}")
	}
	err = filepath.WalkDir(dist, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for from, name := range rename {
			data = bytes.ReplaceAll(data, []byte(from), []byte(name))
		}
		folder, name := filepath.Split(strings.TrimPrefix(path, dist))
		if other := rename[name]; filepath.Base(folder) == "assets" && other != "" {
			name = other
		}
		if err := os.MkdirAll(filepath.Join(to, folder), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, folder, name), data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SITE", to)
	deb, err := makeDeb("0.1.2")
	if err != nil {
		t.Fatal(err)
	}
	return deb
}
