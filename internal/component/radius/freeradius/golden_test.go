package freeradius_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/daemon"
	"gateway/internal/secret"
)

// golden is state.json of a case: rows as they are in the database, with secrets.
type golden struct {
	Settings freeradius.Settings `json:"settings"`
	Probe    string              `json:"probe"`
	Clients  []struct {
		Name    string `json:"name"`
		Address string `json:"address"`
		Secret  string `json:"secret"`
		Signed  bool   `json:"signed"`
	} `json:"clients"`
	Users []struct {
		Name     string `json:"name"`
		Password string `json:"password"`
		Enabled  bool   `json:"enabled"`
		VLAN     *int   `json:"vlan"`
	} `json:"users"`
}

func (g golden) state() freeradius.State {
	s := freeradius.State{Settings: g.Settings, Probe: secret.Text(g.Probe)}
	for _, c := range g.Clients {
		s.Clients = append(s.Clients, freeradius.Client{Name: c.Name, Address: c.Address, Secret: secret.Text(c.Secret), Signed: c.Signed})
	}
	for _, u := range g.Users {
		s.Users = append(s.Users, freeradius.User{Name: u.Name, Password: secret.Text(u.Password), Enabled: u.Enabled, VLAN: u.VLAN})
	}
	return s
}

func TestRender(t *testing.T) {
	config := freeradius.New(freeradius.Options{Exec: componenttest.ExecInRoot(t)}).Config
	cases, err := filepath.Glob("testdata/render/*/state.json")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var g golden
			d := json.NewDecoder(strings.NewReader(string(data)))
			d.DisallowUnknownFields()
			if err := d.Decode(&g); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			r, err := g.state().Render()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Files {
				componenttest.Golden(t, filepath.Join(dir, "want", f.Path), string(f.Data))
			}
			componenttest.Golden(t, filepath.Join(dir, "want", "units"), r.UnitsText())
			componenttest.Golden(t, filepath.Join(dir, "want", "problems"), componenttest.ProblemsText(r))
			if err := componenttest.Check(t, config, r); err != nil {
				t.Errorf("FreeRADIUS: %v", err)
			}
		})
	}
}

func TestSecretsAreForTheDaemonAlone(t *testing.T) {
	r, err := typical().Render()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		open := f.Path == freeradius.ConfFile || f.Path == freeradius.ClientsFile
		if f.Confidential() == open || !open && (f.Group != freeradius.Group || f.Mode != 0o640) {
			t.Errorf("%s has the mode %o and the group %q", f.Path, f.Mode, f.Group)
		}
		for _, secret := range []string{shared, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "wonder land", "builder"} {
			if open && strings.Contains(string(f.Data), secret) {
				t.Errorf("%s holds %q", f.Path, secret)
			}
		}
	}
}

func TestOrderIsNoAccident(t *testing.T) {
	s := typical()
	first, err := s.Render()
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(s.Clients)
	slices.Reverse(s.Users)
	second, err := s.Render()
	if err != nil || first.Hash() != second.Hash() {
		t.Errorf("the order of the rows shows: %v", err)
	}
}

// A bad configuration is refused, in words without the daemon's own: those quote secrets.
func TestTheCheckerRefuses(t *testing.T) {
	config := freeradius.New(freeradius.Options{Exec: componenttest.ExecInRoot(t)}).Config
	for name, spoil := range map[string]func([]daemon.File){
		"an unknown module":      func(f []daemon.File) { f[0].Data = append(f[0].Data, "instantiate {\n\tnothing\n}\n"...) },
		"a section that is open": func(f []daemon.File) { f[0].Data = append(f[0].Data, "server x {\n"...) },
		"a broken user": func(f []daemon.File) {
			i := slices.IndexFunc(f, func(f daemon.File) bool { return f.Path == freeradius.UsersFile })
			f[i].Data = append(f[i].Data, "dora Cleartext-Password := 'canary-of-the-password\n"...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := typical().Render()
			if err != nil {
				t.Fatal(err)
			}
			spoil(r.Files)
			err = componenttest.Check(t, config, r)
			if err == nil || !strings.HasPrefix(err.Error(), "FreeRADIUS rejected this configuration") {
				t.Errorf("it says %v", err)
			}
		})
	}
}
