package route53

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gateway/internal/sigv4"
)

const (
	tries   = 5
	longest = 1 << 20 // of an answer
)

// set is all records of one name and type.
type set struct {
	Name    string   `xml:"Name"`
	Type    string   `xml:"Type"`
	TTL     int      `xml:"TTL"`
	Records []record `xml:"ResourceRecords>ResourceRecord"`
}

// record is a text as it stands in a zone file.
type record struct {
	Value string `xml:"Value"`
}

// zone finds a zone's id. Of two with the same name the one that everybody sees is meant.
func (p *Provider) zone(ctx context.Context, name string) (string, error) {
	var answer struct {
		Zones []struct {
			ID      string `xml:"Id"`
			Name    string `xml:"Name"`
			Private bool   `xml:"Config>PrivateZone"`
		} `xml:"HostedZones>HostedZone"`
	}
	if err := p.ask(ctx, http.MethodGet, "/hostedzonesbyname", url.Values{"dnsname": {name}, "maxitems": {"100"}}, nil, &answer); err != nil {
		return "", fmt.Errorf("find the zone %s: %w", name, err)
	}
	var private string
	for _, z := range answer.Zones {
		id := z.ID[strings.LastIndexByte(z.ID, '/')+1:]
		if !strings.EqualFold(z.Name, name) {
			continue
		}
		if !z.Private {
			return id, nil
		}
		if private == "" {
			private = id
		}
	}
	if private == "" {
		return "", fmt.Errorf("the account has no zone %s", name)
	}
	return private, nil
}

// read reads the TXT records of a name. The list begins there and goes on.
func (p *Provider) read(ctx context.Context, zone, name string) (set, error) {
	var answer struct {
		Sets []set `xml:"ResourceRecordSets>ResourceRecordSet"`
	}
	from := url.Values{"name": {name}, "type": {"TXT"}, "maxitems": {"1"}}
	if err := p.ask(ctx, http.MethodGet, "/hostedzone/"+zone+"/rrset", from, nil, &answer); err != nil {
		return set{}, fmt.Errorf("read the records of %s: %w", name, err)
	}
	for _, s := range answer.Sets {
		if s.Type == "TXT" && strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	return set{Name: name, Type: "TXT"}, nil
}

// write changes the records of a name.
func (p *Provider) write(ctx context.Context, zone, action string, s set) error {
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"https://route53.amazonaws.com/doc/2013-04-01/ ChangeResourceRecordSetsRequest"`
		Action  string   `xml:"ChangeBatch>Changes>Change>Action"`
		Set     set      `xml:"ChangeBatch>Changes>Change>ResourceRecordSet"`
	}{Action: action, Set: s})
	if err != nil {
		return fmt.Errorf("encode the records of %s: %w", s.Name, err)
	}
	if err := p.ask(ctx, http.MethodPost, "/hostedzone/"+zone+"/rrset", nil, body, new(struct{})); err != nil {
		return fmt.Errorf("change the records of %s: %w", s.Name, err)
	}
	return nil
}

// refusal is what Route 53 says against a request.
type refusal struct {
	status   int
	Code     string   `xml:"Error>Code"`
	Message  string   `xml:"Error>Message"`
	Messages []string `xml:"Messages>Message"` // of a change that does not fit
}

func (r refusal) Error() string {
	said := strings.Join(slices.Concat([]string{r.Message}, r.Messages), " ")
	return strings.TrimSpace(fmt.Sprintf("status %d %s %s", r.status, r.Code, strings.TrimSpace(said)))
}

// passes says whether the same request may succeed a moment later.
func passes(err error) bool {
	var r refusal
	if !errors.As(err, &r) {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	return r.status >= 500 || r.status == http.StatusTooManyRequests || slices.Contains([]string{"Throttling", "ThrottlingException", "PriorRequestNotComplete"}, r.Code)
}

// ask sends a request until it is answered. Sending a change again is safe: it says all that
// is to be, or all that is to go.
func (p *Provider) ask(ctx context.Context, method, path string, query url.Values, body []byte, answer any) error {
	pause := p.pause
	for n := 1; ; n++ {
		err := p.try(ctx, method, path, query, body, answer)
		if err == nil || n == tries || !passes(err) {
			return err
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return err
		}
	}
}

func (p *Provider) try(ctx context.Context, method, path string, query url.Values, body []byte, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.URL.RawQuery = query.Encode()
	if body != nil {
		r.Header.Set("Content-Type", "application/xml")
	}
	p.key.Sign(r, sigv4.Hash(body), time.Now())
	got, err := p.client.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, longest))
	if err != nil {
		return err
	}
	if got.StatusCode != http.StatusOK {
		wrong := refusal{status: got.StatusCode}
		_ = xml.Unmarshal(text, &wrong) // without a reason the status has to do
		return wrong
	}
	return xml.Unmarshal(text, answer)
}
