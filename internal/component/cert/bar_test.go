package cert

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/lab/pebbletest"
	"gateway/tools/bar"
)

// watcher asks for names all the time, and counts those that got another certificate than
// one of their own.
type watcher struct {
	mu     sync.Mutex
	names  []string
	seen   int
	wrong  []string
	stop   context.CancelFunc
	ended  chan struct{}
	socket string
}

func watch(t testing.TB, h *proxy) *watcher {
	ctx, stop := context.WithCancel(t.Context())
	w := &watcher{stop: stop, ended: make(chan struct{}), socket: h.Path("web")}
	go func() {
		defer close(w.ended)
		for i := 0; ctx.Err() == nil; i++ {
			w.look(ctx, i)
		}
	}()
	return w
}

func (w *watcher) add(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names = append(w.names, name)
}

func (w *watcher) look(ctx context.Context, i int) {
	w.mu.Lock()
	names := slices.Clone(w.names)
	w.mu.Unlock()
	if len(names) == 0 {
		names = []string{""}
	}
	name := names[i%len(names)]
	select {
	case <-ctx.Done():
		return
	case <-time.After(5 * time.Millisecond):
	}
	if name == "" {
		return
	}
	err := handshake(ctx, w.socket, name)
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	if err != nil {
		w.wrong = append(w.wrong, err.Error())
	}
}

func handshake(ctx context.Context, socket, name string) error {
	raw, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	return conn.ConnectionState().PeerCertificates[0].VerifyHostname(name)
}

func (w *watcher) end() (seen int, wrong []string) {
	w.stop()
	<-w.ended
	return w.seen, w.wrong
}

// shows CERT-06
func TestBarProxy08CertificatesUnderFaults(t *testing.T) {
	bar.NotShort(t)
	a := newFaulty(t, pebbletest.Options{RejectNonce: 20})
	h := a.withProxy()
	w := watch(t, h)
	cycles, served := bar.Size(8, 50), 0
	c := a.issued("cycle."+testZone, false)
	w.add(c.Names[0])
	for range cycles {
		a.renew(c)
		now := a.get(c.ID)
		if now.Serial != c.Serial && sameSerial(h.serves(c.Names[0]), now.Serial) && now.code() == "" {
			served++
		}
		c = now
	}
	told := len(a.alerted())
	codes := map[string]bool{}
	for i, f := range injections {
		name := fmt.Sprintf("f%d.%s", i, testZone)
		if f.suffers(a, name) {
			codes[f.code] = true
		}
		w.add(name)
	}
	seen, wrong := w.end()
	for _, err := range wrong[:min(len(wrong), 5)] {
		t.Log(err)
	}
	alerts := len(a.alerted()) - told
	figure := fmt.Sprintf("%d of %d issued and served with 20%% of nonces refused, %d of %d handshakes with another certificate, %d alerts in %d domains, %d codes for %d faults",
		served, cycles, len(wrong), seen, alerts, len(injections), len(codes), len(injections))
	bar.Report(t, "proxy", 8, figure, "all served, 0 with another, 1 alert per domain, 8 codes",
		served == cycles && seen > 100 && len(wrong) == 0 && told == 0 && alerts == len(injections) && len(codes) == 8)
}

// fill stores certificates past the API, the way a restore would: h0 to h(n-1).
func (r *rig) fill(n int) {
	r.t.Helper()
	r.commit(func(ctx context.Context, tx pgx.Tx) error {
		var b pgx.Batch
		for i := range n {
			id, names := db.NewID(), []string{hostOf(i)}
			m, err := selfSigned(names, ecdsaP256, time.Now())
			if err != nil {
				return err
			}
			b.Queue(`insert into certificates (id, revision, created_at, updated_at, names, source, challenge, key_type, chain, private_key, issued_from, issued_names, not_before, not_after)
				values ($1, 1, now(), now(), $2, 'self_signed', 'http-01', 'ecdsa-p256', $3, $4, 'self_signed', $2, $5, $6)`,
				id, names, string(m.chain), r.box.Seal(m.key, keyPlace(id)), m.leaf.NotBefore, m.leaf.NotAfter)
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

func hostOf(n int) string { return fmt.Sprintf("h%d.example.com", n) }

// commit writes rows past the API, as one change.
func (r *rig) commit(write func(context.Context, pgx.Tx) error) {
	r.t.Helper()
	ctx := r.t.Context()
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		change := db.NewID()
		if _, err := tx.Exec(ctx, `insert into changes (id, component, action, subject, actor, created_at) values ($1, 'cert', 'test', '', 'test', now())`, change); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `select set_config('gateway.change_id', $1, true)`, change); err != nil {
			return err
		}
		return write(ctx, tx)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// exchange stores another certificate for the n-th.
func (r *rig) exchange(n int, m material) {
	r.t.Helper()
	r.commit(func(ctx context.Context, tx pgx.Tx) error {
		var id string
		if err := tx.QueryRow(ctx, `select id::text from certificates where names = $1`, []string{hostOf(n)}).Scan(&id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update certificates set chain = $2, private_key = $3, not_before = $4, not_after = $5 where id = $1`,
			id, string(m.chain), r.box.Seal(m.key, keyPlace(id)), m.leaf.NotBefore, m.leaf.NotAfter)
		return err
	})
}

// swap is one renewal, from the certificate that the authority gave to HAProxy that serves it:
// stored, rendered with all others, hashed, installed and told. Told is the last part of it.
func (r *rig) swap(n int) (whole, told time.Duration) {
	r.t.Helper()
	m, err := selfSigned([]string{hostOf(n)}, ecdsaP256, time.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	start := time.Now()
	r.exchange(n, m)
	now := r.rendered()
	now.Hashed()
	r.haproxy.Install(r.installed, now)
	installed := time.Now()
	steps, hot, err := plan(r.installed, now)
	if err != nil || !hot || len(steps) != 1 {
		r.t.Fatalf("plan = %d steps, hot: %t, %v, want one", len(steps), hot, err)
	}
	if err := r.p.carryOut(r.t.Context(), steps); err != nil {
		r.t.Fatal(err)
	}
	whole, told = time.Since(start), time.Since(installed)
	r.installed = now
	return whole, told
}

// shownAs reports whether a client gets the n-th certificate as it is installed.
func (r *rig) shownAs(n int) bool {
	r.t.Helper()
	lines, err := parseList(r.installed.File(ListPath))
	if err != nil {
		r.t.Fatal(err)
	}
	i := slices.IndexFunc(lines, func(l line) bool { return l.names[0] == hostOf(n) })
	text := r.installed.File(lines[i].path)
	certs, err := parseChain(text[:certLength(text)])
	if err != nil {
		r.t.Fatal(err)
	}
	return sameSerial(r.haproxy.serves(hostOf(n)), serial(certs[0]))
}

func TestBarProxy07RenewalBesideAThousand(t *testing.T) {
	bar.NotShort(t)
	const each = 3 // renewals between two reloads
	r := newRig(t)
	r.fill(1000)
	h := r.withProxy()
	held := h.tunnel("h1.example.com")
	var renewals, parts, reloads []time.Duration
	alive, right := 0, 0
	for i := range bar.Size(7, 41) {
		for j := range each {
			whole, told := r.swap(each*i + j)
			renewals, parts = append(renewals, whole), append(parts, told)
			if r.shownAs(each*i + j) {
				right++
			}
			if i == 0 && held.says(t.Context(), fmt.Sprintf("renewal %d", j)) {
				alive++
			}
		}
		start := time.Now()
		if err := h.Master.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		reloads = append(reloads, time.Since(start))
	}
	n := len(renewals)
	renewal, part, reload := median(renewals), median(parts), median(reloads)
	ratio := float64(reload) / float64(renewal)
	figure := fmt.Sprintf("%.1f ms beside 1,000 from stored to served, a reload %.0f ms: 1/%.0f (HAProxy's part %.2f ms: 1/%.0f); %d of %d served at once; a WebSocket open through %d of %d renewals",
		1000*renewal.Seconds(), 1000*reload.Seconds(), ratio, 1000*part.Seconds(), float64(reload)/float64(part), right, n, alive, each)
	bar.ReportTimed(t, "proxy", 7, figure, "<= 1/200, all served, open through 3 of 3", right == n && alive == each && !t.Failed(), ratio >= 200)
}
