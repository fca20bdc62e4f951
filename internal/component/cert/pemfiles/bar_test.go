package pemfiles

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/tools/bar"
)

// fill stores certificates past the API, the way a restore would: h0 to h(n-1).
func (r *rig) fill(n int) {
	r.T.Helper()
	r.Tx(func(tx pgx.Tx) error {
		var b pgx.Batch
		for i := range n {
			id, names := db.NewID(), []string{hostOf(i)}
			m := selfSigned(r.T, names[0])
			b.Queue(`insert into certificates (id, revision, created_at, updated_at, names, source, challenge, key_type, chain, private_key, issued_from, issued_names, not_before, not_after)
				values ($1, 1, now(), now(), $2, 'self_signed', 'http-01', 'ecdsa-p256', $3, $4, 'self_signed', $2, $5, $6)`,
				id, names, string(m.Chain), r.Box.Seal(m.Key, KeyPlace(id)), m.Leaf.NotBefore, m.Leaf.NotAfter)
		}
		return tx.SendBatch(r.T.Context(), &b).Close()
	})
}

func hostOf(n int) string { return fmt.Sprintf("h%d.example.com", n) }

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// exchange stores another certificate for the n-th.
func (r *rig) exchange(n int, m Material) {
	r.T.Helper()
	r.Tx(func(tx pgx.Tx) error {
		var id string
		if err := tx.QueryRow(r.T.Context(), `select id::text from certificates where names = $1`, []string{hostOf(n)}).Scan(&id); err != nil {
			return err
		}
		_, err := tx.Exec(r.T.Context(), `update certificates set chain = $2, private_key = $3, not_before = $4, not_after = $5 where id = $1`,
			id, string(m.Chain), r.Box.Seal(m.Key, KeyPlace(id)), m.Leaf.NotBefore, m.Leaf.NotAfter)
		return err
	})
}

// swap is one renewal, from the certificate that the authority gave to HAProxy that serves it:
// stored, rendered with all others, hashed, installed and told. Told is the last part of it.
func (r *rig) swap(n int) (whole, told time.Duration) {
	r.T.Helper()
	m := selfSigned(r.T, hostOf(n))
	start := time.Now()
	r.exchange(n, m)
	now := r.Rendered()
	now.Hashed()
	r.haproxy.Install(r.Installed, now)
	installed := time.Now()
	steps, hot, err := plan(r.Installed, now)
	if err != nil || !hot || len(steps) != 1 {
		r.T.Fatalf("plan = %d steps, hot: %t, %v, want one", len(steps), hot, err)
	}
	if err := r.adapter.carryOut(r.T.Context(), steps); err != nil {
		r.T.Fatal(err)
	}
	whole, told = time.Since(start), time.Since(installed)
	r.Installed = now
	return whole, told
}

// shownAs reports whether a client gets the n-th certificate as it is installed.
func (r *rig) shownAs(n int) bool {
	r.T.Helper()
	lines, err := parseList(r.Installed.File(ListPath))
	if err != nil {
		r.T.Fatal(err)
	}
	i := slices.IndexFunc(lines, func(l line) bool { return l.names[0] == hostOf(n) })
	text := r.Installed.File(lines[i].path)
	certs, err := ParseChain(text[:certLength(text)])
	if err != nil {
		r.T.Fatal(err)
	}
	return SameSerial(r.haproxy.Serial(hostOf(n)), Serial(certs[0]))
}

func TestBarProxy07RenewalBesideAThousand(t *testing.T) {
	bar.NotShort(t)
	const each = 3 // renewals between two reloads
	r := newRig(t)
	r.fill(1000)
	r.serve()
	h := r.haproxy
	held := h.Tunnel("h1.example.com")
	var renewals, parts, reloads []time.Duration
	alive, right := 0, 0
	for i := range bar.Size(7, 41) {
		for j := range each {
			whole, told := r.swap(each*i + j)
			renewals, parts = append(renewals, whole), append(parts, told)
			if r.shownAs(each*i + j) {
				right++
			}
			if i == 0 && held.Says(t.Context(), fmt.Sprintf("renewal %d", j)) {
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
