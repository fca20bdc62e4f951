package tunnel_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/tunnel"
)

// put writes a file of wg-quick.
func (r rig) put(name, text string) {
	r.T.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o600); err != nil {
		r.T.Fatal(err)
	}
}

// putAll is the corpus: files as people write them, and broken ones.
func (r rig) putAll() (names []string) {
	r.T.Helper()
	files, err := filepath.Glob("wgquick/testdata/*.conf")
	if err != nil || len(files) < 20 {
		r.T.Fatalf("the corpus has %d files (%v)", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			r.T.Fatal(err)
		}
		r.put(filepath.Base(f), string(text))
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".conf"))
	}
	return names
}

// shows TUN-21, TUN-22, TUN-23
func TestFilesAreImportedByName(t *testing.T) {
	r := newRig(t)
	names := r.putAll()
	r.server("plain", "10.99.0.1/24")
	all := apitest.Data[[]tunnel.Importable](r.As("viewer", "GET", "/tunnel/importable", nil).Want(200))
	if len(all) != len(names) {
		t.Errorf("%d of %d files are listed", len(all), len(names))
	}
	for _, one := range all {
		if one.AlreadyIn != (one.Name == "plain") || strings.HasPrefix(one.Name, "x") != (one.Problem != "") && one.Name != "yempty" {
			t.Errorf("listed as %+v", one)
		}
	}
	for names, status := range map[string]int{"nowhere": 404, "plain": 409, "xport": 400, "ykey": 400, "ytwo": 400, "ythief": 409, "dual ykey": 400} {
		r.Do("POST", "/tunnel/import", object{"names": strings.Fields(names)}).Want(status)
	}
	if got := r.Do("GET", "/tunnel/interfaces", nil).Total; got != "1" {
		t.Fatalf("what was refused left %s tunnels", got)
	}
	done := apitest.Data[tunnel.ImportResult](r.Do("POST", "/tunnel/import", object{"names": []string{"commands", "client", "commands"}}).Want(200))
	if len(done.Imported) != 2 || len(done.Skipped) != 0 || len(done.Imported[0].NotTaken) != 7 || done.Imported[0].Peers != 1 {
		t.Errorf("imported %+v", done)
	}
	if actions := r.Actions(); !slices.Contains(actions, "tunnel.interface.create commands") {
		t.Errorf("the audit log has %v", actions)
	}
	if _, err := os.Stat("/tmp/wg-quick-ran"); err == nil {
		t.Error("a command of a file was run")
	}
	got := apitest.Data[tunnel.Interface](r.Do("GET", "/tunnel/interfaces/"+done.Imported[1].ID, nil).Want(200))
	if got.Mode != "client" || got.Name != "client" || got.ListenPort != nil {
		t.Errorf("the client became %+v", got)
	}
	r.As("viewer", "POST", "/tunnel/import", nil).Want(403)
}

// shows TUN-24
func TestWithoutNamesAllFilesAreImported(t *testing.T) {
	r := newRig(t)
	names := r.putAll()
	done := apitest.Data[tunnel.ImportResult](r.Do("POST", "/tunnel/import", nil).Want(200))
	for _, name := range names {
		broken := strings.HasPrefix(name, "x") || strings.HasPrefix(name, "y")
		imported := slices.ContainsFunc(done.Imported, func(i tunnel.Imported) bool { return i.Name == name })
		skipped := slices.ContainsFunc(done.Skipped, func(s tunnel.Skipped) bool { return s.Name == name && s.Reason != "" })
		if imported == broken || skipped != broken {
			t.Errorf("%s: imported %v, skipped %v: %+v", name, imported, skipped, done.Skipped)
		}
	}
	var ids []string
	for _, one := range done.Imported {
		if one.Name == "names" {
			ids = append(ids, one.ID)
		}
	}
	peers := apitest.Data[[]tunnel.Peer](r.Do("GET", "/tunnel/peers?filter=interface_id:"+ids[0], nil).Want(200))
	var called []string
	for _, p := range peers {
		called = append(called, p.Name)
	}
	if got := strings.Join(called, ", "); got != "ann, ann peer 4, bob, carol, peer 5" {
		t.Errorf("the peers are called %s", got)
	}
	if again := apitest.Data[tunnel.ImportResult](r.Do("POST", "/tunnel/import", object{}).Want(200)); len(again.Imported) != 0 || len(again.Skipped) != len(names) {
		t.Errorf("a second time: %+v", again)
	}
	if err := os.Remove(filepath.Join(r.folder, "bom.conf")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(r.folder, "bom.conf")); err != nil {
		t.Fatal(err)
	}
	r.put("a name.conf", "[Interface]\n")
	for _, one := range apitest.Data[[]tunnel.Importable](r.Do("GET", "/tunnel/importable", nil).Want(200)) {
		if one.Name == "bom" || one.Name == "a name" && one.Problem == "" {
			t.Errorf("listed %+v", one)
		}
	}
}
