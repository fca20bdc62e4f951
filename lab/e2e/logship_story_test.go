package e2e

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// logReceiver takes log entries by RFC 5425, at the client's address.
type logReceiver struct {
	a       *appliance
	name    string
	address string
	cert    tls.Certificate

	mu    sync.Mutex
	got   []string
	ln    net.Listener
	conns []net.Conn
}

// receiver starts one by that name, and answers its certificate too.
func (a *appliance) receiver(name string) (r *logReceiver, certificate string) {
	a.t.Helper()
	certificate, key := pair(a.t, name)
	cert, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	a.lab.Must(err)
	r = &logReceiver{a: a, name: name, address: net.JoinHostPort(a.client.IP().String(), "0"), cert: cert}
	r.start()
	a.t.Cleanup(r.stop)
	return r, certificate
}

// settings are those that have entries sent to it, and more.
func (r *logReceiver) settings(more object) object {
	host, port, _ := net.SplitHostPort(r.address)
	number, _ := strconv.Atoi(port)
	settings := object{"remote_enabled": true, "remote_host": host, "remote_port": number, "remote_server_name": r.name}
	maps.Copy(settings, more)
	return settings
}

func (r *logReceiver) start() {
	r.a.t.Helper()
	ln, err := r.a.client.Listen(r.a.t.Context(), "tcp", r.address)
	r.a.lab.Must(err)
	r.mu.Lock()
	r.ln, r.address = ln, ln.Addr().String()
	r.mu.Unlock()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.conns = append(r.conns, c)
			r.mu.Unlock()
			go r.read(tls.Server(c, &tls.Config{Certificates: []tls.Certificate{r.cert}}))
		}
	}()
}

func (r *logReceiver) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.ln.Close()
	for _, c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}

func (r *logReceiver) read(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		length, err := in.ReadString(' ')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSpace(length))
		if err != nil || n > 10_000 {
			r.a.t.Errorf("%q is no length of a frame", length)
			return
		}
		frame := make([]byte, n)
		if _, err := io.ReadFull(in, frame); err != nil {
			return
		}
		r.mu.Lock()
		r.got = append(r.got, string(frame))
		r.mu.Unlock()
	}
}

func (r *logReceiver) has(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.got {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// setLogs changes some of the log settings.
func (c *caller) setLogs(more object) {
	c.t.Helper()
	settings := c.settings("/logs/settings")
	for name, value := range more {
		settings[name] = value
	}
	c.put("/logs/settings", settings).want(200).live()
}

// shippingError is why the entries of the main journal do not arrive.
func (c *caller) shippingError() string {
	c.t.Helper()
	var s struct {
		Streams []struct{ State, Error string }
	}
	c.get("/logs/shipping").want(200).decode(&s)
	if len(s.Streams) == 0 {
		return "no word of it"
	}
	return s.Streams[0].Error
}

// What the services wrote arrives elsewhere, also what was written while the receiver, or the sender, was away.
func TestLogEntriesReachTheReceiver(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	r, certificate := a.receiver("logs.example.com")
	stranger, _ := pair(t, "logs.example.com")
	c.setLogs(r.settings(object{"remote_ca": stranger}))
	defer c.setLogs(object{"remote_enabled": false})
	a.eventually(patience, "the receiver is not trusted", func() bool { return c.shippingError() == "not_trusted" })
	a.run("logger", "-t", "story", "written for nobody yet")
	if r.mu.Lock(); len(r.got) > 0 {
		t.Errorf("a stranger got %q", r.got[0])
	}
	r.mu.Unlock()

	c.setLogs(object{"remote_ca": certificate})
	a.eventually(patience, "what was written meanwhile arrives", func() bool { return r.has(" story ") && r.has("written for nobody yet") })
	a.eventually(patience, "all is well", func() bool { return c.shippingError() == "" })

	r.stop()
	a.eventually(patience, "the receiver is away", func() bool { return c.shippingError() != "" })
	for i := range 20 {
		a.run("logger", "-t", "story", fmt.Sprintf("line %d of the time between", i))
	}
	a.run("systemctl", "kill", "--signal=KILL", "gateway-logship.service")
	r.start()
	for i := range 20 {
		a.eventually(2*time.Minute, "the lines of the time between arrive", func() bool { return r.has(fmt.Sprintf("line %d of the time between", i)) })
	}

	// The bounds are journald's: it says so when it starts.
	c.setLogs(object{"journal_max_mb": 200, "journal_max_days": 14, "access_log_max_mb": 100, "access_log_max_days": 7})
	defer c.setLogs(object{"journal_max_mb": nil, "journal_max_days": nil, "access_log_max_mb": nil, "access_log_max_days": nil})
	a.eventually(patience, "journald keeps to them", func() bool {
		return strings.Contains(a.run("journalctl", "--no-pager", "--quiet", "-o", "cat", "-u", "systemd-journald.service", "-n", "20"), "max 200M")
	})
	var kept []struct {
		Name     string
		MaxDays  *int64 `json:"max_days"`
		MaxBytes *int64 `json:"max_bytes"`
	}
	c.get("/system/kept").want(200).decode(&kept)
	// Journald removes whole files, by their first entry: some are kept a day longer, so that none is for less.
	for name, want := range map[string][2]int64{"logs": {15, 200 << 20}, "access-log": {8, 100 << 20}} {
		told := false
		for _, k := range kept {
			told = told || k.Name == name && k.MaxDays != nil && *k.MaxDays == want[0] && k.MaxBytes != nil && *k.MaxBytes == want[1]
		}
		if !told {
			t.Errorf("what is kept: %+v, want %s with %v", kept, name, want)
		}
	}
	a.run("logger", "-t", "story", "after journald was restarted")
	a.eventually(patience, "lines arrive after it, too", func() bool { return r.has("after journald was restarted") })
}
