package haproxyconf

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gateway/internal/api"
)

// A browser sends the management's cookies to a site of the same name: its servers do not get them.
func TestTheManagementsCookiesStayHere(t *testing.T) {
	for _, name := range []string{api.SessionCookie, api.DeviceCookie} {
		if !strings.HasPrefix(name, OwnCookies) {
			t.Errorf("%s does not begin with %s", name, OwnCookies)
		}
	}
	r := newRig(t)
	got := make(chan http.Header, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header }))
	t.Cleanup(s.Close)
	pool := r.Backend("web")
	r.Server(pool, "one", s.Listener.Addr().String())
	r.Site("gw.example.com", pool, object{"http_to_https": false})
	const session, device = api.SessionCookie + "=eyJ.a-b_c.d", api.DeviceCookie + "=x"
	for sent, want := range map[string]string{
		"a=1; b=2":                               "a=1; b=2",
		session:                                  "",
		session + "; " + device:                  "",
		session + "; a=1":                        "a=1",
		"a=1; " + session + "; b=2":              "a=1; b=2",
		"a=1;" + device + ";" + session + ";b=2": "a=1;b=2",
		"a=\"" + strings.Repeat("q", 2000) + "\"; x=%s": "a=\"" + strings.Repeat("q", 2000) + "\"; x=%s",
	} {
		for _, scheme := range []string{"https", "http"} {
			if p := r.get(scheme+"://gw.example.com/", func(q *http.Request) { q.Header.Set("Cookie", sent) }); p.status != http.StatusOK {
				t.Fatalf("%s answers %d", scheme, p.status)
			}
			if h := <-got; h.Get("Cookie") != want || want == "" && len(h["Cookie"]) > 0 {
				t.Errorf("%s: of %q the server gets %q, want %q", scheme, sent, h["Cookie"], want)
			}
		}
	}
}
