package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"gateway/lab/s3test"
)

// An operator backs up to an object store, loses a zone, and gets it back; by what is written on the pages.
//
// This is the part of operations.13 that concerns backups.
func TestBackupsAtTheBrowser(t *testing.T) {
	webFolder(t)
	a, c := alone(t)
	store := s3test.New(t, s3test.Options{At: a.client})
	kept := c.post("/dns/zones", object{"name": "kept.example", "forward_to": []string{}}).want(201).id()
	var out struct {
		Shown            struct{ Row, Line, Difference string }
		Zones            struct{ Before, Looked, Restored string }
		Sights, Findings []string
		Looks            int
	}
	a.browse("backup_restore", deeds{
		"zones": func(json.RawMessage) (any, error) { return a.zones(), nil },
		"change": func(json.RawMessage) (any, error) {
			c.do("DELETE", "/dns/zones/"+kept, nil).want(200)
			c.post("/dns/zones", object{"name": "later.example", "forward_to": []string{}}).want(201)
			return nil, nil
		},
	}, &out, append(shots(t), "EMAIL="+a.admin.email, "PASSWORD="+a.admin.password, "PASSPHRASE=seven grey herons at noon",
		"ENDPOINT="+store.Addr, "BUCKET="+s3test.Bucket, "ACCESS_KEY="+s3test.AccessKey, "SECRET_KEY="+s3test.SecretKey)...)
	for _, s := range out.Sights {
		t.Log("seen:", s)
	}
	for _, f := range out.Findings {
		t.Errorf("axe: %s", f)
	}
	t.Logf("axe %d looks; shown: %+v", out.Looks, out.Shown)
	for _, tc := range []struct{ when, got, want string }{
		{"before", out.Zones.Before, "kept.example"},
		{"while somebody looks what would change", out.Zones.Looked, "later.example"},
		{"after the restore", out.Zones.Restored, "kept.example"},
		{"after it was confirmed", a.zones(), "kept.example"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s there are the zones %q, want %q", tc.when, tc.got, tc.want)
		}
	}
	if !strings.Contains(out.Shown.Row, "Vault") || !strings.Contains(out.Shown.Line, "verified") {
		t.Errorf("the page shows %+v", out.Shown)
	}
	a.isStored(store)
}

// zones are the names of the zones that the node has, as root asks for them: sessions end with a restore.
func (a *appliance) zones() string {
	a.t.Helper()
	var all []struct{ Name string }
	answer := a.run("gateway-ctl", "api", "GET", "/dns/zones")
	if err := json.Unmarshal([]byte(answer), &all); err != nil {
		a.t.Fatalf("zones: %v: %s", err, answer)
	}
	var names []string
	for _, one := range all {
		names = append(names, one.Name)
	}
	return strings.Join(names, " ")
}

// isStored holds the copy at the store against what the node says of its archive.
func (a *appliance) isStored(store *s3test.Server) {
	a.t.Helper()
	copies := map[string]bool{}
	for _, name := range store.Objects() {
		content, _ := store.Object(name)
		sum := sha256.Sum256(content)
		copies[hex.EncodeToString(sum[:])] = true
	}
	var all []struct{ SHA256, Kind string }
	if err := json.Unmarshal([]byte(a.run("gateway-ctl", "api", "GET", "/backups")), &all); err != nil {
		a.t.Fatal(err)
	}
	for _, one := range all {
		if one.Kind != "manual" {
			continue
		}
		if !copies[one.SHA256] {
			a.t.Errorf("the store has %q, none of which is the archive", store.Objects())
		}
		return
	}
	a.t.Errorf("the backup is not in the list after the restore: %+v", all)
}
