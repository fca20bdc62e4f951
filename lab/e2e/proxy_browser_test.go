package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

const publishedSite = "shop.browser.example"

// visited is what a client got from a site, over several requests.
type visited struct {
	Status  int            `json:"status"`
	Names   []string       `json:"names"`   // that the certificate is for
	Origins map[string]int `json:"origins"` // who answered, how often
}

type published struct {
	PublishedAfter int
	Chart          []float64
	Sights         []string
	Findings       []string
	Answers        struct{ Looked, Published, Both, Drained, Before, After visited }
	Shown          struct {
		Files    int
		Words    string
		Order    []string
		Keyboard bool
	}
}

// An operator at a browser publishes a site, and a client beside the node uses it.
func TestBarProxy11Browser(t *testing.T) {
	webFolder(t)
	a, c := alone(t)
	one, two, other := a.origin("one"), a.origin("two"), a.origin("other")
	out := a.publishes(c, one, two, other)
	out.judge(t)
	a.settles(c, patience)
	most := slices.Max(append(out.Chart, 0))
	figure := fmt.Sprintf("%s: published in %d ms and reached, drained, reordered by dragging; chart %.1f to %.1f requests/s; 0 of axe in %d sights",
		verdict(t), out.PublishedAfter, first(out.Chart), most, len(out.Sights))
	bar.Report(t, "proxy", 11, figure, "passes", !t.Failed())
}

func first(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return values[0]
}

// publishes runs the story in Chromium.
func (a *appliance) publishes(c *caller, one, two, other *origin) published {
	a.t.Helper()
	v := a.visitor(http2)
	servers, err := json.Marshal([]object{one.in(""), two.in("")})
	a.lab.Must(err)
	do := deeds{
		"visit": ask(func(q struct {
			Path  string
			Count int
		},
		) (any, error) {
			return v.times(publishedSite, q.Path, q.Count), nil
		}),
		"rules": func(json.RawMessage) (any, error) { a.rules(c, other); return nil, nil },
		"load": ask(func(q struct{ Seconds int }) (any, error) {
			go v.steadily(a.t.Context(), publishedSite, time.Duration(q.Seconds)*time.Second)
			return nil, nil
		}),
	}
	env := append(shots(a.t), "EMAIL="+a.admin.email, "PASSWORD="+a.admin.password, "SITE="+publishedSite, "SERVERS="+string(servers))
	var out published
	a.browse("proxy_publish", do, &out, env...)
	return out
}

// rules sends a part of the site to its own pool, and a part of that to another one. The
// first rule fits both, so the second is never reached.
func (a *appliance) rules(c *caller, other *origin) {
	a.t.Helper()
	var sites []struct {
		ID        string `json:"id"`
		BackendID string `json:"backend_id"`
	}
	c.get("/domains?q=" + publishedSite).want(200).decode(&sites)
	if len(sites) != 1 {
		a.t.Fatalf("there are %d sites called %s", len(sites), publishedSite)
	}
	site := sites[0]
	elsewhere := c.pool(nil, other)
	c.post("/routing-rules", object{"domain_id": site.ID, "path_prefix": "/a/", "backend_id": site.BackendID, "priority": 10}).want(201)
	c.post("/routing-rules", object{"domain_id": site.ID, "path_prefix": "/a/b/", "backend_id": elsewhere, "priority": 20}).want(201)
}

// times asks for a path several times.
func (v *visitor) times(name, path string, count int) visited {
	out := visited{Origins: map[string]int{}}
	for range count {
		res, err := v.http.Get("https://" + name + path)
		if err != nil {
			out.Origins[err.Error()]++
			continue
		}
		out.Status = res.StatusCode
		if res.TLS != nil && len(res.TLS.PeerCertificates) > 0 {
			out.Names = res.TLS.PeerCertificates[0].DNSNames
		}
		var got received
		_ = json.NewDecoder(res.Body).Decode(&got)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		out.Origins[got.Origin]++
	}
	return out
}

// steadily uses a site for a while, and leaves it alone then.
func (v *visitor) steadily(ctx context.Context, name string, long time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	for tick := time.NewTicker(25 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+name+"/", nil)
		if err != nil {
			return
		}
		if res, err := v.http.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}
}

// judge holds what the page said against what the client got.
func (p *published) judge(t *testing.T) {
	t.Helper()
	for _, step := range []struct {
		what    string
		got     visited
		origins []string
	}{
		{"after publishing", p.Answers.Published, []string{"one"}},
		{"with a second server", p.Answers.Both, []string{"one", "two"}},
		{"with the first one drained", p.Answers.Drained, []string{"two"}},
		{"at a path that an earlier rule takes", p.Answers.Before, []string{"two"}},
		{"at the same path after dragging", p.Answers.After, []string{"other"}},
	} {
		for _, o := range step.origins {
			if step.got.Origins[o] == 0 {
				t.Errorf("%s %s never answered: %v", step.what, o, step.got.Origins)
			}
		}
		if len(step.got.Origins) != len(step.origins) || step.got.Status != http.StatusOK || !slices.Equal(step.got.Names, []string{publishedSite}) {
			t.Errorf("%s the client got %+v, want 200 by %v with a certificate for %s", step.what, step.got, step.origins, publishedSite)
		}
	}
	if p.Answers.Looked.Status != http.StatusNotFound {
		t.Errorf("after a mere look at what will change the site answers %d", p.Answers.Looked.Status)
	}
	if want := []string{"/a/b/", "/a/"}; !slices.Equal(p.Shown.Order, want) || !p.Shown.Keyboard || p.Shown.Files == 0 {
		t.Errorf("the page showed %+v, want the order %v", p.Shown, want)
	}
	for _, want := range []string{"Adds ", "domain " + publishedSite, "backend ", "server "} {
		if !strings.Contains(p.Shown.Words, want) {
			t.Errorf("the preview begins with %q, without %q", p.Shown.Words, want)
		}
	}
	if most := slices.Max(append(p.Chart, 0)); first(p.Chart) > 1 || most < 10 {
		t.Errorf("the chart did not move: %v", p.Chart)
	}
	for _, f := range p.Findings {
		t.Errorf("axe: %s", f)
	}
}
