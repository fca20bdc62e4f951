package route53

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/libdns/libdns"

	"gateway/internal/outbound"
	"gateway/internal/sigv4"
)

// amazon plays Route 53 with one account and its zones.
type amazon struct {
	t     *testing.T
	key   sigv4.Key
	zones string // in the form of the answer

	mu       sync.Mutex
	sets     map[string]set // of the zone Z1, by name
	asked    []string
	refusals []string // statuses and bodies to answer first
}

func open(t *testing.T, region string) *Provider {
	t.Helper()
	p, err := New(func() ([]netip.Addr, error) { return nil, nil }, region, "AKIDEXAMPLE", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func play(t *testing.T) (*amazon, *Provider) {
	t.Helper()
	p := open(t, "")
	p.client.Transport = nil // what plays Route 53 is on this machine
	a := &amazon{t: t, key: p.key, sets: map[string]set{}, zones: zone("Z1", "example.com.", false) + zone("Z2", "example.net.", false)}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	p.base, p.pause = s.URL+"/2013-04-01", time.Millisecond
	return a, p
}

func zone(id, name string, private bool) string {
	return fmt.Sprintf("<HostedZone><Id>/hostedzone/%s</Id><Name>%s</Name><Config><PrivateZone>%t</PrivateZone></Config></HostedZone>", id, name, private)
}

func (a *amazon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.t.Error(err)
	}
	a.checkSignature(r, body)
	a.asked = append(a.asked, r.Method+" "+r.URL.RequestURI())
	if len(a.refusals) > 0 {
		var status int
		var text string
		first := a.refusals[0]
		a.refusals = a.refusals[1:]
		if _, err := fmt.Sscanf(first, "%d", &status); err != nil {
			a.t.Error(err)
		}
		_, text, _ = strings.Cut(first, " ")
		http.Error(w, text, status)
		return
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/2013-04-01"); {
	case r.Method == "GET" && path == "/hostedzonesbyname":
		fmt.Fprintf(w, `<?xml version="1.0"?><R xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><HostedZones>%s</HostedZones></R>`, a.zones)
	case r.Method == "GET" && path == "/hostedzone/Z1/rrset":
		a.list(w, r.URL.Query().Get("name"))
	case r.Method == "POST" && path == "/hostedzone/Z1/rrset":
		a.change(w, body)
	default:
		http.Error(w, "no such thing", http.StatusNotFound)
	}
}

// checkSignature signs what came as the sender had to.
func (a *amazon) checkSignature(r *http.Request, body []byte) {
	again := r.Clone(r.Context())
	for _, name := range []string{"Accept-Encoding", "Content-Length", "User-Agent", "Authorization"} {
		again.Header.Del(name)
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil {
		a.t.Error(err)
	}
	a.key.Sign(again, sigv4.Hash(body), at)
	if got, want := r.Header.Get("Authorization"), again.Header.Get("Authorization"); got != want {
		a.t.Errorf("%s: Authorization = %s, want %s", r.URL, got, want)
	}
}

// list begins at a name and goes on: what comes next in the zone is answered when it has none.
func (a *amazon) list(w io.Writer, name string) {
	s, found := a.sets[name]
	if !found {
		s = set{Name: "www.example.com.", Type: "TXT", TTL: 60, Records: []record{{`"other"`}}}
	}
	text, err := xml.Marshal(s)
	if err != nil {
		a.t.Error(err)
	}
	text = bytes.ReplaceAll(text, []byte("set>"), []byte("ResourceRecordSet>"))
	fmt.Fprintf(w, "<R><ResourceRecordSets>%s</ResourceRecordSets></R>", text)
}

func (a *amazon) change(w http.ResponseWriter, body []byte) {
	var in struct {
		XMLName xml.Name `xml:"https://route53.amazonaws.com/doc/2013-04-01/ ChangeResourceRecordSetsRequest"`
		Changes []struct {
			Action string `xml:"Action"`
			Set    set    `xml:"ResourceRecordSet"`
		} `xml:"ChangeBatch>Changes>Change"`
	}
	if err := xml.Unmarshal(body, &in); err != nil || len(in.Changes) != 1 {
		a.t.Errorf("body = %s: %v", body, err)
		return
	}
	c := in.Changes[0]
	old, found := a.sets[c.Set.Name]
	switch {
	case c.Action == "UPSERT":
		a.sets[c.Set.Name] = c.Set
	case c.Action == "DELETE" && found && cmp.Equal(old, c.Set):
		delete(a.sets, c.Set.Name)
	default:
		http.Error(w, `<InvalidChangeBatch><Messages><Message>but it was not found</Message></Messages></InvalidChangeBatch>`, http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, "<R><ChangeInfo><Status>PENDING</Status></ChangeInfo></R>")
}

const name = "_acme-challenge.www.example.com."

func txt(text string) []libdns.Record {
	return []libdns.Record{libdns.TXT{Name: "_acme-challenge.www", Text: text, TTL: 2 * time.Minute}}
}

func TestRecordsAreAddedAndRemovedBesideOthers(t *testing.T) {
	a, p := play(t)
	for _, text := range []string{"one", "two", "two"} {
		if _, err := p.AppendRecords(t.Context(), "example.com.", txt(text)); err != nil {
			t.Fatal(err)
		}
	}
	want := set{Name: name, Type: "TXT", TTL: 120, Records: []record{{`"one"`}, {`"two"`}}}
	if diff := cmp.Diff(want, a.sets[name]); diff != "" {
		t.Errorf("after adding (-want +got):\n%s", diff)
	}
	for i, text := range []string{"one", "three", "two"} {
		deleted, err := p.DeleteRecords(t.Context(), "example.com.", txt(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(deleted), []int{1, 0, 1}[i]; got != want {
			t.Errorf("%s: %d deleted, want %d", text, got, want)
		}
		if got, want := len(a.sets[name].Records), []int{1, 1, 0}[i]; got != want {
			t.Errorf("%s: %d records left, want %d", text, got, want)
		}
	}
	if len(a.sets) != 0 {
		t.Errorf("left: %v", a.sets)
	}
}

func TestTheZoneThatEverybodySeesIsChanged(t *testing.T) {
	a, p := play(t)
	a.zones = zone("Z9", "example.com.", true) + zone("Z1", "example.com.", false)
	if _, err := p.AppendRecords(t.Context(), "Example.COM", txt("one")); err != nil {
		t.Fatal(err)
	}
	a.zones = zone("Z1", "example.com.", true)
	if _, err := p.AppendRecords(t.Context(), "example.com.", txt("two")); err != nil {
		t.Fatal(err)
	}
	if got := len(a.sets[name].Records); got != 2 {
		t.Errorf("%d records, want both", got)
	}
	a.zones = zone("Z2", "example.net.", false)
	if _, err := p.AppendRecords(t.Context(), "example.com.", txt("three")); err == nil || !strings.Contains(err.Error(), "no zone example.com.") {
		t.Errorf("err = %v, want that there is no such zone", err)
	}
}

func TestWhatIsSaidAgainstARequestIsTold(t *testing.T) {
	a, p := play(t)
	a.refusals = []string{`403 <ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>The security token is invalid</Message></Error></ErrorResponse>`}
	_, err := p.AppendRecords(t.Context(), "example.com.", txt("one"))
	if err == nil || !strings.Contains(err.Error(), "403 InvalidClientTokenId The security token is invalid") {
		t.Errorf("err = %v, want the reason", err)
	}
	if len(a.asked) != 1 {
		t.Errorf("asked %v, want once", a.asked)
	}
}

func TestWhatPassesIsTriedAgain(t *testing.T) {
	a, p := play(t)
	a.refusals = []string{
		"503 busy",
		"400 <ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>",
		"400 <ErrorResponse><Error><Code>PriorRequestNotComplete</Code></Error></ErrorResponse>",
	}
	if _, err := p.AppendRecords(t.Context(), "example.com.", txt("one")); err != nil {
		t.Fatal(err)
	}
	a.refusals = slices.Repeat([]string{"503 busy"}, tries+1)
	if _, err := p.AppendRecords(t.Context(), "example.com.", txt("two")); err == nil {
		t.Error("it is tried for ever")
	}
	if len(a.refusals) != 1 {
		t.Errorf("%d refusals left, want 1 after %d tries", len(a.refusals), tries)
	}
}

func TestLongTextsAreStringsInQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `""`,
		`a "b" \c`:               `"a \"b\" \\c"`,
		strings.Repeat("x", 256): `"` + strings.Repeat("x", 255) + `" "x"`,
	} {
		if got := quoted(text); got != want {
			t.Errorf("quoted(%q) = %s, want %s", text, got, want)
		}
	}
}

// A name of Route 53 that leads to this machine, by DNS that lies, gets nothing.
func TestNothingIsSentToThisMachine(t *testing.T) {
	calls := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	t.Cleanup(s.Close)
	p := open(t, "")
	p.base, p.pause = s.URL, time.Millisecond
	var refused outbound.Refused
	if _, err := p.zone(t.Context(), "example.com."); !errors.As(err, &refused) || calls != 0 {
		t.Errorf("%d requests arrived (%v), want none", calls, err)
	}
}

func TestThePartitionFollowsFromTheRegion(t *testing.T) {
	for region, want := range map[string]string{
		"": "https://route53.amazonaws.com/ us-east-1", "eu-central-1": "https://route53.amazonaws.com/ us-east-1",
		"cn-north-1": "https://route53.amazonaws.com.cn/ cn-northwest-1", "us-gov-east-1": "https://route53.us-gov.amazonaws.com/ us-gov-west-1",
	} {
		p := open(t, region)
		if got := strings.TrimSuffix(p.base, "2013-04-01") + " " + p.key.Region; got != want {
			t.Errorf("%s: %s, want %s", region, got, want)
		}
	}
}
