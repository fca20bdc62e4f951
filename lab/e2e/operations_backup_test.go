package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/lab/s3test"
	"gateway/tools/bar"
)

// The second day of an operator, by what is written on the pages: alerts that arrive, a line in the logs, a chart with
// its marks, a backup elsewhere, and a restore after something was lost.
func TestBarOperations13TheSecondDay(t *testing.T) {
	webFolder(t)
	a, c := alone(t)
	store := s3test.New(t, s3test.Options{At: a.client})
	hook, mail := a.pager(), a.postbox()
	kept := c.post("/dns/zones", object{"name": "kept.example", "forward_to": []string{}}).want(201).id()
	certificate, key := pairUntil(t, "old.example.com", 48*time.Hour)
	const told = "firing cert.expiring old.example.com"
	var out struct {
		Shown            struct{ Row, Line, Difference, Log, Zoomed, Mark string }
		Zones            struct{ Before, Looked, Restored string }
		Arrived          struct{ Hooks, Letters int }
		Sights, Findings []string
		Looks            int
	}
	host, port, err := net.SplitHostPort(mail.address)
	a.lab.Must(err)
	begun := time.Now()
	a.browse("operations", deeds{
		"provoke": func(json.RawMessage) (any, error) {
			c.post("/certificates", uploaded("old.example.com", certificate, key)).want(201)
			return nil, nil
		},
		"arrived": func(json.RawMessage) (any, error) {
			return object{"hooks": hook.has(told), "letters": mail.has("old.example.com")}, nil
		},
		"zones": func(json.RawMessage) (any, error) { return a.zones(), nil },
		"change": func(json.RawMessage) (any, error) {
			c.do("DELETE", "/dns/zones/"+kept, nil).want(200)
			c.post("/dns/zones", object{"name": "later.example", "forward_to": []string{}}).want(201)
			return nil, nil
		},
	}, &out, append(shots(t), "EMAIL="+a.admin.email, "PASSWORD="+a.admin.password, "PASSPHRASE=seven grey herons at noon",
		"HOOK="+hook.url, "MAIL_HOST="+host, "MAIL_PORT="+port,
		"ENDPOINT="+store.Addr, "BUCKET="+s3test.Bucket, "ACCESS_KEY="+s3test.AccessKey, "SECRET_KEY="+s3test.SecretKey)...)
	took := time.Since(begun)
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
	if out.Arrived.Hooks != 1 || out.Arrived.Letters != 1 {
		t.Errorf("the alert arrived %d times by webhook and %d times by e-mail, want once each", out.Arrived.Hooks, out.Arrived.Letters)
	}
	if !strings.Contains(out.Shown.Row, "Vault") || !strings.Contains(out.Shown.Line, "verified") {
		t.Errorf("the page shows %+v", out.Shown)
	}
	if !strings.Contains(out.Shown.Log, "old.example.com") || !strings.Contains(out.Shown.Mark, "old.example.com") {
		t.Errorf("the logs show %q, and the mark leads to %q", out.Shown.Log, out.Shown.Mark)
	}
	a.isStored(store)
	figure := fmt.Sprintf("alert by webhook and e-mail, log line, chart zoomed with its marks, backup at S3, restore with preview; %d sights, axe %d looks, %d findings; %.0f s",
		len(out.Sights), out.Looks, len(out.Findings), took.Seconds())
	bar.Report(t, "operations", 13, figure, "passes, axe clean", !t.Failed() && out.Looks > 0)
}

// postbox takes letters by SMTP, at the client's place in the network.
type postbox struct {
	address string
	mu      sync.Mutex
	letters []string
}

func (a *appliance) postbox() *postbox {
	a.t.Helper()
	ln, err := a.client.Listen(a.t.Context(), "tcp", net.JoinHostPort(a.client.IP().String(), "0"))
	a.lab.Must(err)
	a.t.Cleanup(func() { _ = ln.Close() })
	p := &postbox{address: ln.Addr().String()}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go p.take(textproto.NewConn(conn))
		}
	}()
	return p
}

// take agrees to everything that is said.
func (p *postbox) take(conn *textproto.Conn) {
	defer conn.Close()
	_ = conn.PrintfLine("220 ready")
	for {
		line, err := conn.ReadLine()
		if err != nil {
			return
		}
		if !strings.EqualFold(line, "DATA") {
			_ = conn.PrintfLine("250 fine")
			continue
		}
		_ = conn.PrintfLine("354 go on")
		text, err := conn.ReadDotBytes()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.letters = append(p.letters, string(text))
		p.mu.Unlock()
		_ = conn.PrintfLine("250 kept")
	}
}

// has is how many letters have a text.
func (p *postbox) has(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.letters {
		if strings.Contains(one, text) {
			n++
		}
	}
	return n
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
