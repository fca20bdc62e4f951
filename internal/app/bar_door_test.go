package app_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/component"
	"gateway/internal/component/all"
	"gateway/tools/bar"
)

// Strangers send a megabyte of the worst they can, and others send theirs a byte at a time.
// The process is one of its own, so that its memory is nobody else's. The control is the
// same storm at an operation that takes large bodies.
func TestBarTrust06BoundedAtTheDoor(t *testing.T) {
	a, admin := apptest.Ready(t)
	session := sessionOf(admin)
	p := serve(t, a, session)
	door := []string{"/auth/login", "/auth/login/totp", "/auth/reset-password", "/setup/complete", "/auth/change-password", "/auth/tokens"}
	s := p.storm(session, door, bar.GateSize(20, 200, 800), 200)
	grown := p.grown()
	alive := p.alive()
	c := serve(t, a, session)
	control, storms := 0, 0
	for control <= 96 && storms < 10 { // on a busy machine most of one may be hung up on before its body is read
		c.storm(session, []string{controlPath}, 2, 0)
		control, storms = c.grown(), storms+1
	}
	p99 := percentile(s.honest, 99)
	figure := fmt.Sprintf("%d requests of 1 MiB by 50 (%d refused), %d slow ones: RSS %+d MiB, %d honest requests p99 %.0f ms, %d failed, restarted: %t; control: %+d MiB after %d storms",
		s.sent, s.refused, s.slow, grown, len(s.honest), p99.Seconds()*1000, s.failed, !alive, control, storms)
	right := grown <= 96 && alive && s.failed == 0 && s.refused == s.sent && control > 96
	bar.ReportTimed(t, "trust", 6, figure, "RSS <= +96 MiB, honest p99 <= 250 ms, no restart", right, p99 <= 250*time.Millisecond)
}

// served is a process that serves the API by itself.
type served struct {
	t      *testing.T
	listen string
	cmd    *exec.Cmd
	before int
}

const serveEnv = "GATEWAY_TEST_SERVE"

// serve starts this very program once more.
func serve(t *testing.T, a *apptest.App, session http.Header) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &served{t: t, listen: l.Addr().String()}
	_ = l.Close() // the port is the process's now
	p.cmd = exec.Command(os.Args[0], "-test.run=^TestServe$")
	p.cmd.Env = append(os.Environ(), serveEnv+"="+strings.Join([]string{p.listen, a.Config.StateDir, a.Config.Database}, "|"), "GOMEMLIMIT=384MiB")
	p.cmd.Stderr = io.Discard
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Signal(os.Interrupt); _ = p.cmd.Wait() })
	a.Until("the process answers, and has its database", func() bool {
		req, err := http.NewRequest(http.MethodGet, "http://"+p.listen+api.Prefix+"/users", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = session.Clone()
		res, err := http.DefaultClient.Do(req)
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	})
	p.before = p.memory("VmRSS")
	return p
}

// TestServe is that process, and nothing by itself.
func TestServe(t *testing.T) {
	how := strings.Split(os.Getenv(serveEnv), "|")
	if len(how) != 3 {
		t.Skip("it is started by another test")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p, err := app.NewAPI(app.Config{Listen: how[0], StateDir: how[1], Database: how[2], ApplySocket: "/nonexistent/apply.sock", More: controls})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(ctx); err != nil {
		t.Error(err)
	}
}

const controlPath = "/control"

// controls is an operation that lets strangers send a megabyte, as all did once.
func controls(all.Deps) []component.Component {
	return []component.Component{{Name: "control", Routes: func(r api.Router) {
		api.Handle(r, api.Op{ID: "control", Method: http.MethodPost, Path: controlPath, Access: api.Public, MaxBody: 2 << 20, Summary: "Take a large body"},
			func(context.Context, *struct{ Body map[string]any }) (*api.Body[*api.None], error) {
				return api.Done(), nil
			})
	}}}
}

func (p *served) alive() bool {
	return p.cmd.Process.Signal(syscall.Signal(0)) == nil && p.cmd.ProcessState == nil
}

// grown is by how many MiB the process was ever larger than after its start.
func (p *served) grown() int { return p.memory("VmHWM") - p.before }

func (p *served) memory(field string) (mib int) {
	p.t.Helper()
	return memoryOf(p.t, strconv.Itoa(p.cmd.Process.Pid), field)
}

// memoryOf is a field of a process's status, in MiB.
func memoryOf(t testing.TB, pid, field string) (mib int) {
	t.Helper()
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), field+":")
	if _, err := fmt.Sscan(rest, &mib); err != nil {
		t.Fatal(err)
	}
	return mib >> 10
}

// storm is what came of it.
type storm struct {
	sent, refused, slow, failed int64
	honest                      []time.Duration
}

// storm sends so many rounds by fifty at once, while others are slow and one is honest.
func (p *served) storm(session http.Header, paths []string, rounds, slow int) *storm {
	s := &storm{}
	bodies := worst()
	stop := make(chan struct{})
	var attack, beside sync.WaitGroup
	for range slow {
		beside.Go(func() { p.drip(s, stop) })
	}
	beside.Go(func() { p.ask(s, session, stop) })
	for i := range 50 {
		attack.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for n := range rounds {
				p.send(s, client, paths[(i+n)%len(paths)], bodies[(i/2+n)%len(bodies)], i%2 == 0)
			}
			client.CloseIdleConnections()
		})
	}
	attack.Wait()
	close(stop)
	beside.Wait()
	return s
}

// worst are bodies of just below a megabyte that cost the most to read.
func worst() []string {
	const size = 1<<20 - 100
	fill := func(unit string) string {
		return `{"email":"a@b.c","y":[` + strings.Repeat(unit+",", size/(len(unit)+1)) + `0]}`
	}
	var keys strings.Builder
	for i := 0; keys.Len() < size-20; i++ {
		fmt.Fprintf(&keys, `"%x":0,`, i)
	}
	return []string{
		fill("{}      "), fill("{}"), fill("[]"), fill("1"), fill(`"\ud83d\ude00"`), fill("1e308"), fill(`{"a":{}}`),
		strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		`{"email":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
		`{"email":"` + strings.Repeat("x", size) + `"}`,
		"{" + keys.String() + `"email":"a@b.c"}`,
	}
}

// send is one request, with its length said or not.
func (p *served) send(s *storm, client *http.Client, path, body string, chunked bool) {
	var r io.Reader = strings.NewReader(body)
	if chunked {
		r = io.MultiReader(r)
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+p.listen+api.Prefix+path, r)
	if err != nil {
		p.t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	atomic.AddInt64(&s.sent, 1)
	res, err := client.Do(req)
	if err != nil { // it hung up on the rest of the body
		atomic.AddInt64(&s.refused, 1)
		return
	}
	defer res.Body.Close()
	if res.StatusCode >= 400 && res.StatusCode < 500 {
		atomic.AddInt64(&s.refused, 1)
	}
	_, _ = io.Copy(io.Discard, res.Body)
}

// drip sends a body a byte at a time, and again when it is cut off.
func (p *served) drip(s *storm, stop <-chan struct{}) {
	for {
		conn, err := net.Dial("tcp", p.listen) //nolint:noctx // a test's own server
		if err != nil {
			atomic.AddInt64(&s.failed, 1)
			p.t.Logf("a slow one: %v", err)
			return
		}
		atomic.AddInt64(&s.slow, 1)
		_, _ = fmt.Fprintf(conn, "POST %s/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n{", api.Prefix)
		for err == nil {
			select {
			case <-stop:
				_ = conn.Close()
				return
			case <-time.After(50*time.Millisecond + rand.N(50*time.Millisecond)):
				_, err = conn.Write([]byte(" "))
			}
		}
		_ = conn.Close()
	}
}

// ask is somebody with a session at work.
func (p *served) ask(s *storm, session http.Header, stop <-chan struct{}) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	paths := []string{"/auth/me", "/users", "/system/health", "/dns/zones"}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
		req, err := http.NewRequest(http.MethodGet, "http://"+p.listen+api.Prefix+paths[n%len(paths)], nil)
		if err != nil {
			p.t.Error(err)
			return
		}
		req.Header = session.Clone()
		start := time.Now()
		res, err := client.Do(req)
		s.honest = append(s.honest, time.Since(start))
		if err != nil {
			atomic.AddInt64(&s.failed, 1)
			p.t.Logf("%s after %v: %v", req.URL.Path, s.honest[n], err)
			continue
		}
		said, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			atomic.AddInt64(&s.failed, 1)
			p.t.Logf("%s after %v: %d %s", req.URL.Path, s.honest[n], res.StatusCode, said)
		}
	}
}
