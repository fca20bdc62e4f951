package forwardproxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/forwardproxy/squid"
	"gateway/tools/bar"
)

// minimal is what somebody would write who wants clients to reach a parent proxy, and no more.
const minimal = `http_port 3128
http_port 127.0.0.1:13128
acl clients src %s
http_access allow clients
http_access deny all
cache deny all
cache_log /dev/null
access_log none
pid_filename /run/squid/gateway.pid
pinger_enable off
shutdown_lifetime 1 seconds
cache_peer %s parent 80 0 no-query no-digest default
never_direct allow all
`

// added is how many names come later, at most.
const added = 10

// hosts is how many destinations the clients have; none of them is denied.
const hosts = 200

// load sends requests over connections that stay open, and answers how many were not answered 200.
func (s *served) load(requests int) (wrong int) {
	s.T.Helper()
	const workers = 8
	client := s.through(s.client)
	transport := client.Transport.(*http.Transport)
	transport.DisableKeepAlives, transport.MaxIdleConnsPerHost = false, workers
	defer transport.CloseIdleConnections()
	var all sync.WaitGroup
	var mu sync.Mutex
	for w := range workers {
		all.Go(func() {
			bad := 0
			for i := w; i < requests; i += workers {
				if status := fetch(client, fmt.Sprintf("http://www%d.example.org/", i%hosts)); status != http.StatusOK {
					bad++
					s.T.Logf("request %d was answered %d", i, status)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			wrong += bad
		})
	}
	all.Wait()
	return wrong
}

// answered waits for Squid to serve clients: the port for this machine may be open before theirs.
func (s *served) answered() {
	s.T.Helper()
	client := s.through(s.client)
	for end := time.Now().Add(20 * time.Second); fetch(client, "http://www.example.org/") != http.StatusOK; <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.T.Fatal("Squid serves nobody")
		}
	}
}

func fetch(client *http.Client, address string) int {
	answer, err := client.Get(address)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// thousandRules are of three kinds, none of which matches what the clients ask for.
func (s *served) thousandRules() {
	s.T.Helper()
	s.Restore(`insert into forwardproxy_acls (id, revision, created_at, updated_at, priority, action, type, value, only_from, only_during, name, enabled, description)
		select gen_random_uuid(), 1, now(), now(), n, 'deny', case when n < 700 then 'domain' when n < 900 then 'source' else 'port' end,
			case when n < 700 then 'denied' || n || '.example.net' when n < 900 then '198.51.100.' || (n - 700) else (20000 + 2 * n)::text end, '{}', '', '', true, ''
		from generate_series(0, 999) n`)
}

// perCPU is how many requests a second of CPU is enough for, on each of two files, in turns.
func (s *served) perCPU(requests, rounds int, files map[string]string) (rate map[string]float64, wrong int) {
	s.T.Helper()
	spent := map[string]time.Duration{}
	for range rounds {
		for _, which := range []string{"minimal", "ours"} {
			s.squid.RunOn(files[which])
			s.answered()
			wrong += s.load(hosts) // names are looked up, connections are made
			before := s.squid.CPU()
			wrong += s.load(requests)
			spent[which] += s.squid.CPU() - before
		}
	}
	rate = map[string]float64{}
	for which, cpu := range spent {
		rate[which] = float64(requests*rounds) / cpu.Seconds()
	}
	return rate, wrong
}

// live is how long a name more in a list takes from the request of the API until a client that asks
// for it all the time is denied, the longest of several.
func (s *served) live(path string, times int) (longest time.Duration) {
	s.T.Helper()
	client := s.through(s.client)
	for i := range times {
		address := fmt.Sprintf("http://new%d.example.org/", i)
		if status := fetch(client, address); status != http.StatusOK {
			s.T.Errorf("before it was in the list: %d", status)
		}
		start := time.Now()
		s.Do("POST", path+"/names", object{"add": []string{fmt.Sprintf("new%d.example.org", i)}}).Want(200)
		s.use()
		for fetch(client, address) != http.StatusForbidden {
			if time.Since(start) > 20*time.Second {
				s.T.Fatal("a name more is not denied")
			}
		}
		longest = max(longest, time.Since(start))
	}
	return longest
}

// A thousand rules and a list of a million names cost a tenth of what a Squid takes that does nothing
// but pass requests on, and a name more is in force at once, without a reload.
func TestBarServices07AMillionNames(t *testing.T) {
	names, requests, rounds := bar.GateSize(50_000, 1_000_000, 1_000_000), bar.GateSize(8_000, 20_000, 40_000), bar.GateSize(1, 3, 5)
	s := serve(t)
	s.squid.AnswerNames()
	site(t, s.web, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1000)) }))
	s.thousandRules()
	path := newList(s.Rig, "many")
	var text strings.Builder
	for i := range names - added {
		fmt.Fprintf(&text, "host%d.domain%d.example.com\n", i, i%977)
	}
	start := time.Now()
	s.Do("PUT", path+"/names", object{"names": text.String()}).Want(200)
	stored := time.Since(start)
	s.Do("POST", "/forward-proxy/acls", object{"action": "deny", "type": "list", "value": "many", "only_from": []string{}, "priority": 2000}).Want(201)
	s.on(object{"parent_host": s.web.IP().String(), "parent_port": 80, "cache_size": 0, "access_log": false, "dns_servers": []string{"127.0.0.1"}})
	rate, wrong := s.perCPU(requests, rounds, map[string]string{
		"ours": string(s.squid.Installed.File(squid.ConfFile)), "minimal": fmt.Sprintf(minimal, s.client.IP(), s.web.IP()),
	})
	denied := fetch(s.through(s.client), "http://a.host7.domain7.example.com/") == http.StatusForbidden
	restarts, reloads, memory := s.squid.Restarts, s.squid.Reloads, s.squid.Memory()
	longest := s.live(path, bar.GateSize(2, 5, added))
	quiet := s.squid.Restarts == restarts && s.squid.Reloads == reloads
	ratio := rate["ours"] / rate["minimal"]
	figure := fmt.Sprintf("%.2f of a minimal Squid (%.0f and %.0f requests per CPU second; 1,000 rules, %d names, %d hosts asked for); a name more is in force after %v, 0 reloads; %d wrong answers; "+
		"the program has %d MB; the names were stored in %v", ratio, rate["ours"], rate["minimal"], names, hosts, longest.Round(time.Millisecond), wrong, memory>>20, stored.Round(100*time.Millisecond))
	bar.ReportTimed(t, "services", 7, figure, ">= 0.90, <= 1 s without a reload, 0 wrong", wrong == 0 && denied && quiet, ratio >= 0.90 && longest <= time.Second)
}
