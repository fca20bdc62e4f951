package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/fault"
)

func maker(log *bytes.Buffer, all ...component.Component) Maker {
	return Maker{
		Components: func() []component.Component { return all }, Managed: func(name string) bool { return name == "managed" },
		Node: "0123", Version: "1.2.3", Hostname: func() string { return "gw 1/x" },
		Limits: Limits{File: 1000, All: 2500, Source: time.Second, Area: 1500 * time.Millisecond, AtOnce: 3},
		Now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, Log: slog.New(slog.NewTextHandler(log, nil)),
	}
}

func text(s string) component.SupportRead {
	return func(context.Context, component.Get) ([]byte, error) { return []byte(s), nil }
}

func failing(err error) component.SupportRead {
	return func(context.Context, component.Get) ([]byte, error) { return nil, err }
}

// unpacked returns the files of a bundle, and its manifest.
func unpacked(t *testing.T, m Maker, get component.Get) (map[string]string, map[string]File) {
	t.Helper()
	var out bytes.Buffer
	if err := m.Write(t.Context(), &out, "ann@example.com", get); err != nil {
		t.Fatal(err)
	}
	files, err := Unpack(&out)
	if err != nil {
		t.Fatal(err)
	}
	about, err := ManifestOf(files)
	if err != nil {
		t.Fatal(err)
	}
	if about.Version != "1.2.3" || about.Node != "0123" || about.MadeBy != "ann@example.com" || len(about.LeftOut) == 0 {
		t.Errorf("manifest = %+v", about)
	}
	texts, listed := map[string]string{}, map[string]File{}
	for name, data := range files {
		texts[name] = string(data)
	}
	for _, f := range about.Files {
		listed[f.Name] = f
	}
	return texts, listed
}

func nothing(context.Context, string) (json.RawMessage, error) { return json.RawMessage(`[]`), nil }

func TestABundleHasTheFilesThatAreasDeclareAndNoOthers(t *testing.T) {
	m := maker(new(bytes.Buffer),
		component.Component{Name: "quiet"},
		component.Component{Name: "managed", Objects: []component.Object{{Key: "zones", Path: "/zones", Name: []string{"name"}}}},
		component.Component{Name: "dns", Support: []component.Support{{File: "a.json", Read: component.Answer("/dns/a")}, {File: "files/b.txt", Read: text("b")}}})
	get := func(_ context.Context, path string) (json.RawMessage, error) {
		if path == "/dns/a" {
			return json.RawMessage(`{"x":1}`), nil
		}
		return json.RawMessage(`[{"id":"1","name":"home.arpa","key":"<redacted>"}]`), nil
	}
	files, listed := unpacked(t, m, get)
	want := []string{"README.txt", "configuration.yaml", "dns/a.json", "dns/files/b.txt", "manifest.json"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files = %v, want %v", got, want)
	}
	names := slices.Sorted(slices.Values(m.Names()))
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, names) || !slices.Equal(names, want[1:4]) {
		t.Errorf("manifest lists %v, declared are %v", got, names)
	}
	if files["dns/a.json"] != "{\n  \"x\": 1\n}\n" || files["dns/files/b.txt"] != "b" {
		t.Errorf("files = %q", files)
	}
	if c := files["configuration.yaml"]; !strings.Contains(c, "home.arpa") || strings.Contains(c, "key") {
		t.Errorf("configuration = %s", c)
	}
	if got, want := m.Name(), "gateway-support-gw-1-x-20260102T030405Z.tar.gz"; got != want {
		t.Errorf("name = %s, want %s", got, want)
	}
}

func TestAFileThatCannotBeMadeSaysWhyAndHoldsUpNoOther(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	hangs := func(context.Context, component.Get) ([]byte, error) { <-hang; return nil, nil } // heeds nothing
	var log bytes.Buffer
	m := maker(&log,
		component.Component{Name: "hangs", Support: []component.Support{{File: "a.json", Read: hangs}, {File: "b.json", Read: hangs}, {File: "c.txt", Read: text("c")}}},
		component.Component{Name: "fails", Support: []component.Support{
			{File: "told.json", Read: failing(fault.New(fault.Unavailable, "the daemon does not answer"))},
			{File: "untold.txt", Read: failing(errors.New("password hunter2 is wrong"))},
			{File: "panics.txt", Read: func(context.Context, component.Get) ([]byte, error) { panic("hunter2") }},
		}},
		component.Component{Name: "fine", Support: []component.Support{{File: "a.txt", Read: text("fine")}}})
	start := time.Now()
	files, listed := unpacked(t, m, nothing)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	for name, want := range map[string]string{
		"hangs/a.json":     `{"not_available":"it did not answer in time"}` + "\n",
		"hangs/b.json":     `{"not_available":"it did not answer in time"}` + "\n",
		"hangs/c.txt":      "not available: it did not answer in time\n", // its area had its time
		"fails/told.json":  `{"not_available":"the daemon does not answer"}` + "\n",
		"fails/untold.txt": "not available: it failed; the log of gateway-api has the details\n",
		"fails/panics.txt": "not available: it failed; the log of gateway-api has the details\n",
		"fine/a.txt":       "fine",
	} {
		if files[name] != want {
			t.Errorf("%s = %q, want %q", name, files[name], want)
		}
		if ok := listed[name].Error == ""; ok != (name == "fine/a.txt") {
			t.Errorf("manifest says of %s: %+v", name, listed[name])
		}
	}
	if !strings.Contains(log.String(), "fails/untold.txt") {
		t.Errorf("log = %s", log.String())
	}
}

func TestABundleIsBounded(t *testing.T) {
	var big []component.Support
	for i := range 5 {
		big = append(big, component.Support{File: fmt.Sprintf("%d.txt", i), Read: text(strings.Repeat("x", 900))})
	}
	big = append(big, component.Support{File: "larger.txt", Read: text(strings.Repeat("x", 1001))})
	files, listed := unpacked(t, maker(new(bytes.Buffer), component.Component{Name: "big", Support: big}), nothing)
	whole := 0
	for name, f := range listed {
		switch {
		case f.Error == "" && strings.HasPrefix(name, "big/"):
			whole++
		case name == "big/larger.txt" && !strings.Contains(files[name], errLarge.Error()):
			t.Errorf("%s = %q", name, files[name])
		}
	}
	if whole != 2 || !strings.Contains(files["big/4.txt"], errFull.Error()) {
		t.Errorf("%d files are whole, want 2 of 900 bytes in 2500; the last says %q", whole, files["big/4.txt"])
	}
}

// What the API answers has no key. What a program wrote to its log may.
func TestAFileWithAPrivateKeyIsLeftOut(t *testing.T) {
	pem := "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEI\n-----END EC PRIVATE KEY-----\n"
	files, _ := unpacked(t, maker(new(bytes.Buffer), component.Component{Name: "logs", Support: []component.Support{
		{File: "a.log", Read: text("loaded " + pem)}, {File: "b.log", Read: text("AGE-SECRET-KEY-1QQQQ")}, {File: "c.log", Read: text("-----BEGIN CERTIFICATE-----")},
	}}), nothing)
	for name, has := range map[string]bool{"logs/a.log": false, "logs/b.log": false, "logs/c.log": true} {
		if got := !strings.Contains(files[name], errSecret.Error()); got != has {
			t.Errorf("%s = %q", name, files[name])
		}
	}
}

// shut is a line that is cut after so many bytes.
type shut struct{ left int }

func (s *shut) Write(p []byte) (int, error) {
	if s.left -= len(p); s.left < 0 {
		return 0, errors.New("cut")
	}
	return len(p), nil
}

func TestABundleThatCannotBeWrittenEnds(t *testing.T) {
	m := maker(new(bytes.Buffer), component.Component{Name: "a", Support: []component.Support{{File: "a.txt", Read: text("a")}}})
	for _, left := range []int{0, 20} {
		if err := m.Write(t.Context(), &shut{left}, "ann", nothing); err == nil {
			t.Errorf("with a line cut after %d bytes it says that it was written", left)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Write(gone, new(bytes.Buffer), "ann", nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("for somebody who left: %v", err)
	}
}

func TestAnIncompleteBundleIsNoticed(t *testing.T) {
	var out bytes.Buffer
	if err := maker(new(bytes.Buffer)).Write(t.Context(), &out, "ann", nothing); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(bytes.NewReader(out.Bytes()[:out.Len()-20])); err == nil {
		t.Error("half of an archive was read")
	}
	if _, err := ManifestOf(map[string][]byte{}); err == nil {
		t.Error("an archive without a manifest is one")
	}
}
