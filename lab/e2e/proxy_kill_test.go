package e2e

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// holds is what a running HAProxy holds, or what its files say, in the same words.
type holds map[string]string

// shows T1
func TestBarProxy10Kills(t *testing.T) {
	a, c := alone(t)
	m := &manySites{appliance: a, c: c}
	m.connect()
	a.withFailpoints()
	// Started again by the test alone, once it has looked.
	a.sh("mkdir -p /run/systemd/system/gateway-apply.service.d; printf '[Service]\\nRestart=no\\n' >/run/systemd/system/gateway-apply.service.d/kill.conf; systemctl daemon-reload")
	a.settles(c, patience)
	one := a.origin("one")
	pool := c.pool(nil, one, a.origin("two"))
	k := &proxyKills{manySites: m, pool: pool, origin: one, rand: rand.New(rand.NewPCG(7, 7))}
	k.prepare()
	n := bar.Size(20, 200)
	var took []time.Duration
	hit, missed := 0, 0
	for i := range n {
		if k.kill(i); len(k.differences()) > 0 {
			hit++
		}
		began := time.Now()
		a.sh("systemctl reset-failed gateway-apply.service; systemctl start gateway-apply.service")
		for len(k.differences()) > 0 || !k.live() {
			if time.Since(began) > patience {
				missed++
				s := k.c.standings()
				t.Errorf("kill %d: after %v HAProxy differs in %v; proxy %+v, cert %+v", i, patience, k.differences(), s["proxy"], s["cert"])
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		took = append(took, time.Since(began))
		k.wait()
		if t.Failed() {
			break
		}
	}
	worst := percentile(took, 1)
	figure := fmt.Sprintf("%d kills, after %d of them HAProxy and its files differed; equal again in %d ms at worst, %d not", len(took), hit, worst.Milliseconds(), missed)
	bar.ReportTimed(t, "proxy", 10, figure, "all equal within 5000 ms, some differed", missed == 0 && hit > 0 && len(took) == n && !t.Failed(), worst <= 5*time.Second)
}

type proxyKills struct {
	*manySites
	pool    string
	origin  *origin
	rand    *rand.Rand
	servers []string
	cert    string
	under   chan struct{}
}

func (k *proxyKills) prepare() {
	k.t.Helper()
	for i := range 10 {
		body := k.origin.in(k.pool)
		body["name"] = fmt.Sprintf("extra-%d", i)
		k.servers = append(k.servers, k.c.post("/backend-servers", body).want(201).id())
	}
	k.cert = k.c.post("/certificates", object{"names": []string{"kill.example.com"}, "source": "self_signed"}).want(201).id()
}

// change is one with many steps: domains, weights and, but for every fourth one, a certificate in one batch. Certificates come
// before sites: what HAProxy is told first is then a certificate, which its files have already.
func (k *proxyKills) change(i int) {
	k.t.Helper()
	var ops []object
	for n := range 30 {
		ops = append(ops, object{"method": "POST", "path": "/domains", "body": object{"name": fmt.Sprintf("k%d-%d.example.com", i, n), "backend_id": k.pool}})
	}
	for n, id := range k.servers {
		body := k.origin.in(k.pool)
		body["name"], body["weight"] = fmt.Sprintf("extra-%d", n), k.rand.IntN(256)
		ops = append(ops, object{"method": "PUT", "path": "/backend-servers/" + id, "body": body})
	}
	if i%4 != 0 {
		ops = append(ops, object{"method": "POST", "path": "/certificates", "body": object{"names": []string{fmt.Sprintf("k%d.example.com", i)}, "source": "self_signed"}})
	}
	done := make(chan struct{})
	k.under = done
	mine := k.c.copy()
	go func() {
		defer close(done)
		if r, err := mine.try("POST", "/batch", object{"operations": ops}); err != nil || r.status != 200 {
			k.t.Errorf("batch %d: %v, %v", i, r, err)
		}
	}()
}

func (k *proxyKills) wait() { <-k.under }

// kill ends the applier: every other time after the first thing that it told HAProxy, else
// anywhere.
func (k *proxyKills) kill(i int) {
	k.t.Helper()
	if i%2 == 1 {
		k.change(i)
		time.Sleep(time.Duration(k.rand.IntN(300)) * time.Millisecond)
		k.run("systemctl", "kill", "-s", "KILL", "gateway-apply.service")
		return
	}
	k.sh("echo told >/run/gateway-apply/failpoint")
	k.change(i)
	k.sh("n=0; while [ -e /run/gateway-apply/failpoint ] && [ $n -lt 300 ]; do sleep 0.02; n=$((n+1)); done; rm -f /run/gateway-apply/failpoint")
}

// live reports that the components have nothing to do.
func (k *proxyKills) live() bool {
	s := k.c.standings()
	return s["proxy"].settled() && s["cert"].settled()
}

// differences are what HAProxy holds otherwise than its files say.
func (k *proxyKills) differences() []string {
	k.t.Helper()
	want, have := k.filesSay(), k.haproxyHolds()
	var out []string
	for key := range maps.Keys(want) {
		if want[key] != have[key] {
			out = append(out, fmt.Sprintf("%s: %q, file %q", key, have[key], want[key]))
		}
	}
	for key := range maps.Keys(have) {
		if _, ok := want[key]; !ok {
			out = append(out, key+" is in no file")
		}
	}
	slices.Sort(out)
	return out
}

func (k *proxyKills) filesSay() holds {
	k.t.Helper()
	out := holds{}
	for _, path := range strings.Fields(k.sh("ls " + haproxyDir + "maps/*.map")) {
		for line := range strings.Lines(k.read(path)) {
			if key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && !strings.HasPrefix(line, "#") {
				out[path+" "+key] = value
			}
		}
	}
	pool := ""
	for line := range strings.Lines(k.read(haproxyDir + "haproxy.cfg")) {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "backend":
			pool = f[1]
		case len(f) > 4 && f[0] == "server" && strings.HasPrefix(pool, "gateway_backend_"):
			out[pool+"/"+f[1]] = f[2] + " " + f[4]
		}
	}
	for line := range strings.Lines(k.read(haproxyDir + "crt-list.txt")) {
		if path := strings.Fields(line)[0]; strings.HasPrefix(path, haproxyDir) {
			out["cert "+path] = serialOf([]byte(k.read(path)))
		}
	}
	return out
}

func serialOf(data []byte) string {
	block, _ := pem.Decode(data)
	if block == nil {
		return "none"
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%X", leaf.SerialNumber)
}

func (k *proxyKills) read(path string) string {
	k.t.Helper()
	data, err := k.node.ReadFile(path)
	if err != nil {
		return "" // it is being replaced
	}
	return string(bytes.TrimSpace(data)) + "\n"
}

func (k *proxyKills) haproxyHolds() holds {
	k.t.Helper()
	out := holds{}
	ctx := k.t.Context()
	for _, path := range strings.Fields(k.sh("ls " + haproxyDir + "maps/*.map")) {
		all, err := k.runtime.MapAll(ctx, path)
		if err != nil {
			out["error of "+path] = err.Error()
		}
		for _, e := range all {
			out[path+" "+e.Key] = e.Value
		}
	}
	servers, err := k.runtime.Servers(ctx)
	if err != nil {
		out["error of servers"] = err.Error()
	}
	for _, s := range servers {
		if strings.HasPrefix(s.Backend, "gateway_backend_") {
			out[s.Backend+"/"+s.Name] = fmt.Sprintf("%s %d", s.Addr, s.Weight)
		}
	}
	list, err := k.runtime.CrtList(ctx, haproxyDir+"crt-list.txt")
	if err != nil {
		out["error of the list"] = err.Error()
	}
	for _, entry := range list {
		if path := strings.Fields(entry)[0]; filepath.Dir(path) == haproxyDir+"certs" {
			info, err := k.runtime.CertInfo(ctx, path)
			if err != nil {
				info.Serial = err.Error()
			}
			out["cert "+path] = strings.ToUpper(strings.TrimLeft(info.Serial, "0"))
		}
	}
	return out
}
