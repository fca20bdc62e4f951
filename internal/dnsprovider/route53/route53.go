// Package route53 changes TXT records at Amazon Route 53, for the challenges of certificates.
// It knows the three requests that this takes; signing them is left to package sigv4.
package route53

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libdns/libdns"

	"gateway/internal/outbound"
	"gateway/internal/sigv4"
)

// Provider changes the zones of one account.
type Provider struct {
	key    sigv4.Key
	base   string
	client *http.Client
	pause  time.Duration // before the second try; then twice as long each time

	// A set of records is read and written as a whole, so that is done by one at a time.
	mu sync.Mutex
}

// New makes the client of an account. Route 53 is the same in all regions of a partition:
// the region only tells which partition it is. own are this machine's addresses: whatever the name of Route 53 leads to
// by somebody's DNS, the account's signature is not sent there, nor by a proxy of the environment.
func New(own func() ([]netip.Addr, error), region, id, secret string) (*Provider, error) {
	transport, err := outbound.Transport(own, "")
	if err != nil {
		return nil, err
	}
	host, signed := "route53.amazonaws.com", "us-east-1"
	switch {
	case strings.HasPrefix(region, "cn-"):
		host, signed = "route53.amazonaws.com.cn", "cn-northwest-1"
	case strings.HasPrefix(region, "us-gov-"):
		host, signed = "route53.us-gov.amazonaws.com", "us-gov-west-1"
	}
	return &Provider{
		key:    sigv4.Key{ID: id, Secret: secret, Region: signed, Service: "route53"},
		base:   "https://" + host + "/2013-04-01",
		client: &http.Client{Transport: transport, Timeout: 30 * time.Second, CheckRedirect: outbound.NoRedirects},
		pause:  500 * time.Millisecond,
	}, nil
}

// AppendRecords adds TXT records beside those of the same name.
func (p *Provider) AppendRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	for _, r := range records {
		err := p.change(ctx, zone, r, func(old set, own record) (string, set) {
			if slices.Contains(old.Records, own) {
				return "", old
			}
			old.Records = append(old.Records, own)
			old.TTL = int(r.RR().TTL.Seconds())
			return "UPSERT", old
		})
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}

// DeleteRecords removes TXT records, and leaves others of the same name. One that is not
// there is not missed.
func (p *Provider) DeleteRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	var deleted []libdns.Record
	for _, r := range records {
		err := p.change(ctx, zone, r, func(old set, own record) (string, set) {
			rest := slices.DeleteFunc(slices.Clone(old.Records), func(other record) bool { return other == own })
			if len(rest) == len(old.Records) {
				return "", old
			}
			deleted = append(deleted, r)
			if len(rest) == 0 {
				return "DELETE", old // it is deleted by saying all that it was
			}
			old.Records = rest
			return "UPSERT", old
		})
		if err != nil {
			return nil, err
		}
	}
	return deleted, nil
}

// change reads the records of a record's name, and writes what they are to become. No action
// is none.
func (p *Provider) change(ctx context.Context, zone string, r libdns.Record, become func(set, record) (string, set)) error {
	rr := r.RR()
	if rr.Type != "TXT" {
		return fmt.Errorf("only TXT records are changed, not %s", rr.Type)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id, err := p.zone(ctx, absolute(zone))
	if err != nil {
		return err
	}
	old, err := p.read(ctx, id, absolute(libdns.AbsoluteName(rr.Name, absolute(zone))))
	if err != nil {
		return err
	}
	action, s := become(old, record{quoted(rr.Data)})
	if action == "" {
		return nil
	}
	return p.write(ctx, id, action, s)
}

// absolute is a name with the dot at its end, as Route 53 has them.
func absolute(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) + "." }

// quoted is a text as it stands in a zone file: strings of at most 255 bytes.
func quoted(text string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var out []string
	for part := range slices.Chunk([]byte(text), 255) {
		out = append(out, `"`+escaped.Replace(string(part))+`"`)
	}
	return cmp.Or(strings.Join(out, " "), `""`)
}
