package proxy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/proxy"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/haproxy"
	"gateway/internal/sys"
	"gateway/lab/haproxytest"
)

// hosts are the names of n sites.
func hosts(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = hostName(i)
	}
	return names
}

func hostName(i int) string { return fmt.Sprintf("shop-%d.customer-%d.example.com", i, i%97) }

// ours is the product's rendering of as many sites, on an HAProxy of its own.
type ours struct {
	engine
	*haproxytest.Daemon
	t       testing.TB
	pool    *pgxpool.Pool
	product daemon.Daemon
	now     daemon.Rendering
	certs   certs
}

type sites struct {
	domains, pools int
	features       bool  // HSTS, a header and a rate limit for each
	certs          certs // of all domains; none for sites without TLS
}

func newOurs(t testing.TB, name string, s sites, origin int) *ours {
	t.Helper()
	d := haproxytest.New(t)
	product := haproxyconf.New(haproxyconf.Options{HAProxy: &haproxy.Daemon{Runtime: d.Runtime, Master: d.Master}, Exec: sys.Run})
	o := &ours{Daemon: d, t: t, product: product, engine: engine{name: name, address: freeAddress(t), hosts: hosts(s.domains)}}
	o.pool = dbtest.New(t, change.Schema(), audit.Schema(), proxy.New(proxy.Options{}).Schema())
	o.store(func(ctx context.Context, tx pgx.Tx) error { return fill(ctx, tx, s, origin) })
	o.now = o.render()
	o.install(o.now)
	newLog(t, d.Path("log"))
	bind := o.address
	if s.certs != "" {
		o.tls, o.certs = true, s.certs
		bind += o.listen()
	}
	o.run(onLoopback(string(o.now.File(haproxyconf.Path)), d.Dir, bind))
	return o
}

const crtList = "/etc/gateway/haproxy/crt-list.txt"

// listen is what the product has after the address of its public listener.
func (o *ours) listen() string {
	o.t.Helper()
	var list strings.Builder
	for _, host := range o.hosts {
		list.WriteString(o.certs.file(host) + "\n")
	}
	if err := replace(o.Path(crtList), []byte(list.String())); err != nil {
		o.t.Fatal(err)
	}
	return " ssl crt-list " + crtList + " alpn h2,http/1.1"
}

func (o *ours) run(config string) {
	o.Start(config, "taskset", "-c", enginesCore)
	worker := o.Worker().PID
	o.pid = func() int { return worker }
}

// store commits rows the way a restore does.
func (o *ours) store(write func(context.Context, pgx.Tx) error) {
	o.t.Helper()
	ctx := o.t.Context()
	err := pgx.BeginFunc(ctx, o.pool, func(tx pgx.Tx) error {
		id := db.NewID()
		var b pgx.Batch
		b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, 'proxy', 'test', '', 'test', now())`, id)
		b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		return write(ctx, tx)
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// fill stores sites with ids as random as real ones.
func fill(ctx context.Context, tx pgx.Tx, s sites, origin int) error {
	var b pgx.Batch
	b.Queue(`insert into proxy_backends (id, revision, created_at, updated_at, name, scheme, lb_algorithm, websocket, force_http1, active, sticky, verify_tls,
			tls_server_name, health_check, health_path, health_host, health_interval, health_status)
		select md5('pool' || n)::uuid, 1, now(), now(), 'pool ' || n, 'http', 'roundrobin', false, false, true, false, false, '', false, '/', '', 5, 0
		from generate_series(0, $1 - 1) n`, s.pools)
	b.Queue(`insert into proxy_servers (id, revision, created_at, updated_at, backend_id, name, proxy_name, address, port, weight, backup, active, drain)
		select gen_random_uuid(), 1, now(), now(), md5('pool' || n)::uuid, 'web', 'web', '127.0.0.1', $2, 100, false, true, false
		from generate_series(0, $1 - 1) n`, s.pools, origin)
	b.Queue(addDomains, 0, s.domains, s.pools, s.features)
	if s.features {
		b.Queue(`insert into proxy_headers (id, revision, created_at, updated_at, domain_id, name, value)
			select gen_random_uuid(), 1, now(), now(), id, 'X-Frame-Options', 'DENY' from proxy_domains`)
	}
	return tx.SendBatch(ctx, &b).Close()
}

// addDomains stores the sites from $1 to before $2 on $3 pools; $4 gives them features.
const addDomains = `insert into proxy_domains (id, revision, created_at, updated_at, name, backend_id, active, http_to_https, disable_h3, hsts_max_age, hsts_subdomains,
		hsts_preload, rate_limit, maintenance, max_body_size, www_redirect, allow_from, notes)
	select md5('site' || n)::uuid, 1, now(), now(), 'shop-' || n || '.customer-' || n % 97 || '.example.com', md5('pool' || n % $3)::uuid, true, true, false,
		case when $4 then 31536000 else 0 end, $4, false, case when $4 then 100000000 else 0 end, false, 0, 'off', '{}', ''
	from generate_series($1::int, $2::int - 1) n`

func (o *ours) render() daemon.Rendering {
	o.t.Helper()
	out, err := o.product.Render(o.t.Context(), o.pool, nil)
	if err != nil || len(out.Problems) > 0 {
		o.t.Fatalf("render: %v, %+v", err, out.Problems)
	}
	return out
}

// install replaces the files that are not the same, each as a whole.
func (o *ours) install(now daemon.Rendering) {
	o.t.Helper()
	for _, f := range now.Files {
		path := o.Path(f.Path)
		if have, err := os.ReadFile(path); err == nil && string(have) == string(f.Data) {
			continue
		}
		if err := replace(path, f.Data); err != nil {
			o.t.Fatal(err)
		}
	}
}

func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// notHere are settings of the process that need a unit around it.
var notHere = []string{"chroot ", "user ", "group ", "setcap ", "stats socket ", "limited-quic", "maxconn ", "fd-hard-limit "}

// onLoopback is a configuration of the product with its listeners moved: the public ones, by
// HTTPS, to where bind says, all others out of the way.
func onLoopback(config, dir, bind string) string {
	var b strings.Builder
	section, bound := "", false
	for line := range strings.Lines(config) {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(line, "\t") && text != "" {
			section, bound = text, false
		}
		switch {
		case section == "global" && hasAnyPrefix(text, notHere):
		case strings.HasPrefix(text, "log /dev/log"):
			b.WriteString("\tlog " + dir + "/log local0\n\tnbthread 1\n\tmaxconn 4000\n")
		case strings.HasPrefix(text, "log /run/systemd/"):
			b.WriteString("\tlog " + dir + "/log local1\n")
		case !strings.HasPrefix(text, "bind "):
			b.WriteString(line)
		case bound:
		case section == "frontend gateway_https":
			bound = true
			b.WriteString("\tbind " + bind + "\n")
		default:
			bound = true
			b.WriteString("\tbind unix@" + dir + "/" + strings.TrimPrefix(section, "frontend ") + "\n")
		}
	}
	return b.String()
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// hand is what an engineer would write for one site that does the same, on the same
// settings of the process and the same timeouts. Like the product it logs errors only: a line
// for each request would cost it a fifth.
const hand = `
frontend web
	option dontlog-normal
	bind %[1]s
	http-request del-header Forwarded
	http-request del-header X-Forwarded- -m beg
	http-request set-header X-Forwarded-For %%[src]
	http-request set-header X-Forwarded-Proto https
	http-request set-header X-Real-IP %%[src]
%[2]s	http-after-response set-header Alt-Svc 'h3=":443"; ma=86400'
	use_backend site if { req.hdr(host),host_only -i %[3]s }
	default_backend unknown

backend site
	balance roundrobin
	server web 127.0.0.1:%[4]d weight 100

backend unknown
	http-request return status 404 content-type text/plain string "There is no such site here."

backend rates
	stick-table type ip size 200k expire 20s store http_req_rate(10s)
`

// handFeatures are what the sites of the third comparison have besides.
const handFeatures = `	http-request track-sc0 src table rates
	http-request deny deny_status 429 hdr Retry-After 10 if { sc_http_req_rate(0) gt 100000000 }
	http-after-response set-header Strict-Transport-Security "max-age=31536000; includeSubDomains"
	http-after-response set-header X-Frame-Options DENY
`

// newHand runs it. The settings of the process are those of the product.
func newHand(t testing.TB, name string, like *ours, features string, origin int) *engine {
	t.Helper()
	d := haproxytest.New(t)
	e := &engine{name: name, address: freeAddress(t), hosts: hosts(1)}
	newLog(t, d.Path("log"))
	head, _, _ := strings.Cut(onLoopback(string(like.now.File(haproxyconf.Path)), d.Dir, e.address), "\nfrontend ")
	head, _, _ = strings.Cut(head, "\nbackend ")
	d.Start(head+"\n"+fmt.Sprintf(hand, e.address, features, e.hosts[0], origin), "taskset", "-c", enginesCore)
	worker := d.Worker().PID
	e.pid = func() int { return worker }
	return e
}
