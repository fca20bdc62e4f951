package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/lab"
)

// download fetches packages of Debian 13 into the folder $1 and unpacks them there. They
// are not installed: the lab's root is the product's. $0 is the root.
const download = `mount --make-rprivate / && mount --bind "$1" "$0/mnt" && mount --bind /etc/resolv.conf "$0/etc/resolv.conf" || exit 1
chroot "$0" sh -c 'cd /mnt && apt-get download -q -o APT::Sandbox::User=root nginx caddy' && for deb in "$1"/*.deb; do dpkg-deb -x "$deb" "$1" || exit 1; done`

// peers is a folder with nginx and Caddy as Debian 13 has them, kept beside the lab's root.
func peers(t testing.TB) string {
	t.Helper()
	root, err := lab.Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 for tests: %v", err)
	}
	dir := filepath.Join(filepath.Dir(root), "peers-"+filepath.Base(root))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	tmp, err := os.MkdirTemp(filepath.Dir(root), "peers")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "unshare", "--mount", "sh", "-c", download, root, tmp).CombinedOutput(); err != nil {
		t.Fatalf("download nginx and Caddy: %v\n%s", err, out)
	}
	if err := os.Rename(tmp, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// peer is another reverse proxy with the same sites on the same pools.
type peer struct {
	engine
	// add has it serve one more site.
	add func(host string) error
}

// bring copies a program to where it can be run.
func bring(t testing.TB, program string) (dir, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "peer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	data, err := os.ReadFile(filepath.Join(peers(t), program))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, filepath.Base(program))
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

const nginxHead = `daemon off;
user root;
worker_processes 1;
pid %[1]s/pid;
error_log stderr;
events { worker_connections 4096; }
http {
	server_names_hash_max_size 65536;
	server_names_hash_bucket_size 128;
	map $status $failed { ~^5 1; default 0; }
	access_log syslog:server=unix:%[1]s/log,nohostname combined if=$failed;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	keepalive_requests 100000000;
	keepalive_timeout 30s;
	proxy_http_version 1.1;
	proxy_set_header Host $host;
	proxy_set_header Connection "";
	proxy_set_header Forwarded "";
	proxy_set_header X-Forwarded-For $remote_addr;
	proxy_set_header X-Forwarded-Proto https;
	proxy_set_header X-Real-IP $remote_addr;
	add_header Alt-Svc 'h3=":443"; ma=86400';
	ssl_protocols TLSv1.2 TLSv1.3;
	ssl_session_tickets off;
	server { listen %[2]s ssl default_server; ssl_reject_handshake on; }
`

func newNginx(t testing.TB, s sites, origin int) *peer {
	t.Helper()
	dir, path := bring(t, "usr/sbin/nginx")
	p := &peer{engine: engine{name: "nginx", tls: true, address: freeAddress(t), hosts: hosts(s.domains)}}
	newLog(t, filepath.Join(dir, "log"))
	file := filepath.Join(dir, "nginx.conf")
	names := p.hosts
	write := func() error { return os.WriteFile(file, nginxConfig(dir, p.address, names, s, origin), 0o600) }
	if err := write(); err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"taskset", "-c", enginesCore}, lab.InRoot(t, dir, path, "-c", file)...)
	p.pid = start(t, argv, p.address)
	p.add = func(host string) error {
		names = append(names, host)
		if err := write(); err != nil {
			return err
		}
		return unix.Kill(p.pid(), unix.SIGHUP)
	}
	return p
}

func nginxConfig(dir, address string, names []string, s sites, origin int) []byte {
	b := fmt.Appendf(nil, nginxHead, dir, address)
	for i := range s.pools {
		b = fmt.Appendf(b, "\tupstream pool%d { server 127.0.0.1:%d; keepalive 64; keepalive_requests 100000000; }\n", i, origin)
	}
	for i, name := range names {
		b = fmt.Appendf(b, "\tserver { listen %[1]s ssl; server_name %[2]s; ssl_certificate %[3]s; ssl_certificate_key %[3]s; location / { proxy_pass http://pool%[4]d; } }\n",
			address, name, s.certs.file(name), i%s.pools)
	}
	return append(b, "}\n"...)
}

type object = map[string]any

// newCaddy routes with a route for each host, as its Caddyfile does for sites that differ, or,
// grouped, with one for all hosts of a pool, which is the quickest form it has.
func newCaddy(t testing.TB, name string, route func([]string, sites, int) []object, s sites, origin int) *peer {
	t.Helper()
	dir, path := bring(t, "usr/bin/caddy")
	p := &peer{engine: engine{name: name, tls: true, address: freeAddress(t), hosts: hosts(s.domains)}}
	admin, names := freeAddress(t), p.hosts
	config := func() []byte { return caddyConfig(t, admin, p.address, names, s.certs, route(names, s, origin)) }
	file := filepath.Join(dir, "caddy.json")
	if err := os.WriteFile(file, config(), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := append([]string{"taskset", "-c", enginesCore}, lab.InRoot(t, dir, path, "run", "--config", file)...)
	p.pid = start(t, argv, p.address)
	p.add = func(host string) error {
		names = append(names, host)
		return post("http://"+admin+"/load", config())
	}
	return p
}

func routePerHost(names []string, _ sites, origin int) []object {
	var routes []object
	for _, name := range names {
		routes = append(routes, caddyRoute([]string{name}, origin))
	}
	return routes
}

func routePerPool(names []string, s sites, origin int) []object {
	var routes []object
	for pool := range s.pools {
		var group []string
		for i := pool; i < len(names); i += s.pools {
			group = append(group, names[i])
		}
		routes = append(routes, caddyRoute(group, origin))
	}
	return routes
}

// caddyConfig logs errors only, as the other engines do.
func caddyConfig(t testing.TB, admin, address string, names []string, files certs, routes []object) []byte {
	t.Helper()
	var pairs []object
	for _, name := range names {
		pairs = append(pairs, object{"certificate": files.file(name), "key": files.file(name)})
	}
	server := object{"listen": []string{address}, "automatic_https": object{"disable": true}, "tls_connection_policies": []object{{}}, "routes": routes}
	config, err := json.Marshal(object{
		"admin": object{"listen": admin}, "logging": object{"logs": object{"default": object{"level": "ERROR"}}},
		"apps": object{
			"http": object{"servers": object{"sites": server}},
			"tls":  object{"certificates": object{"load_files": pairs}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func caddyRoute(hosts []string, origin int) object {
	return object{
		"match":    []object{{"host": hosts}},
		"terminal": true,
		"handle": []object{
			{"handler": "headers", "response": object{"set": object{"Alt-Svc": []string{`h3=":443"; ma=86400`}}}},
			{
				"handler": "reverse_proxy", "upstreams": []object{{"dial": fmt.Sprintf("127.0.0.1:%d", origin)}},
				"headers": object{"request": object{"set": object{"X-Real-Ip": []string{"{http.request.remote.host}"}}}},
			},
		},
	}
}

func post(url string, body []byte) error {
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s: %s", resp.Status, text)
	}
	return nil
}

// live waits until a site is served.
func (e *engine) live(t testing.TB, host string) {
	t.Helper()
	for {
		c, err := e.dial(host)
		if err == nil {
			err = c.try()
			_ = c.conn.Close()
		}
		if err == nil {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
}
