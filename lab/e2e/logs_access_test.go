package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const accessRate = 3_000 // a second

// shed is a site whose backend is off: HAProxy answers by itself, and logs each answer.
func (a *appliance) shed(c *caller, name string) {
	a.t.Helper()
	c.site(name, c.pool(object{"active": false}), object{"http_to_https": false})
	v := a.visitor(http1)
	a.eventually(patience, "the site answers that it is not available", func() bool {
		p, err := v.try("GET", "http://"+name+"/", nil)
		return err == nil && p.status == 503
	})
}

// ask sends requests for numbered pages at the rate, and returns how many a second it were.
func (a *appliance) ask(name, page string, n int) (rate int) {
	a.t.Helper()
	v := a.visitor(http1)
	v.http.Transport.(*http.Transport).MaxIdleConnsPerHost = 16
	var next atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for range 16 {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(n) {
					return
				}
				<-time.After(time.Until(began.Add(time.Duration(i) * time.Second / accessRate)))
				if _, err := v.try("GET", fmt.Sprintf("http://%s/%s-%d", name, page, i), nil); err != nil {
					a.t.Errorf("request %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return int(float64(n) / time.Since(began).Seconds())
}

// logged counts the pages that are in the access log.
func (a *appliance) logged(page string) int {
	a.t.Helper()
	a.run("journalctl", "--namespace=gateway-access", "--sync")
	seen := map[string]bool{}
	for line := range strings.Lines(a.run("journalctl", "--namespace=gateway-access", "--no-pager", "--quiet", "-o", "cat", "--unit=haproxy.service")) {
		if _, rest, ok := strings.Cut(line, "/"+page+"-"); ok {
			seen[strings.Fields(rest)[0]] = true
		}
	}
	return len(seen)
}

// What visitors asked for is in a log of its own, and only where somebody wants to see it.
func TestTheAccessLogIsAJournalOfItsOwn(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	a.shed(c, "logged.example.com")
	a.ask("logged.example.com", "nothing-here", 5)
	query := url.Values{"sources": {"access-log"}, "q": {"/nothing-here-"}}
	a.eventually(10*time.Second, "the requests are in the access log", func() bool { return len(c.logs(query).Entries) == 5 })
	for _, e := range c.logs(query).Entries {
		if e.Source != "access-log" || !strings.Contains(e.Message, " 503 ") {
			t.Errorf("%+v is no line of the access log", e)
		}
	}
	a.accessLogIsFollowed(c)
	// Neither they nor the requests of this test to the API are among the rest.
	for _, e := range c.logs(url.Values{"limit": {"1000"}}).Entries {
		if e.Source == "access-log" || strings.Contains(e.Message, "/nothing-here-") || strings.Contains(e.Message, " /api/v1/logs ") {
			t.Errorf("without being asked for there is %+v", e)
		}
	}
	if both := c.logs(url.Values{"sources": {"access-log,reverse-proxy,audit"}, "limit": {"1000"}}); len(both.Entries) < 6 {
		t.Errorf("together with others there are %d entries", len(both.Entries))
	}
	a.accessLogGoesOn(c)
	var kept []struct {
		Name     string
		Bytes    *int64
		MaxDays  *int64 `json:"max_days"`
		MaxBytes *int64 `json:"max_bytes"`
	}
	c.get("/system/kept").want(200).decode(&kept)
	told := false
	for _, k := range kept {
		told = told || k.Name == "access-log" && k.Bytes != nil && *k.Bytes > 0 && k.MaxBytes != nil && *k.MaxBytes == 1<<30 && k.MaxDays != nil && *k.MaxDays == 30
	}
	if !told {
		t.Errorf("what is kept: %+v, want the access log with its bounds", kept)
	}
}

// accessLogIsFollowed beside another journal; what was written before it is read is none of it.
func (a *appliance) accessLogIsFollowed(c *caller) {
	a.t.Helper()
	live := c.socket("/logs/live?sources=access-log,ntp&q=heard-", nil)
	heard := make(chan string, 1)
	go func() {
		_, data, err := live.Read(a.t.Context())
		heard <- fmt.Sprint(string(data), err)
	}()
	a.eventually(patience, "the stream has a request", func() bool {
		a.ask("logged.example.com", "heard", 1)
		select {
		case text := <-heard:
			if !strings.Contains(text, "/heard-0 ") || !strings.Contains(text, `"source":"access-log"`) {
				a.t.Errorf("the stream said %s", text)
			}
			return true
		case <-time.After(500 * time.Millisecond):
			return false
		}
	})
}

// accessLogGoesOn when that journal is started anew: its socket is another one then.
func (a *appliance) accessLogGoesOn(c *caller) {
	a.t.Helper()
	a.sh("systemctl stop systemd-journald@gateway-access.service systemd-journald@gateway-access.socket && systemctl start systemd-journald@gateway-access.service")
	a.ask("logged.example.com", "after-that", 5)
	query := url.Values{"sources": {"access-log"}, "q": {"/after-that-"}}
	a.eventually(10*time.Second, "requests are in the access log again", func() bool { return len(c.logs(query).Entries) == 5 })
}
