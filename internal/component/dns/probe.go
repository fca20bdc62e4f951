package dns

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"

	"gateway/internal/component/dns/unbound"
)

// Forwarders are asked by gateway-scheduler, which may speak to the outside, and only while
// somebody looks for problems.
const (
	// probeTime bounds one look: whoever asked has two seconds in all.
	probeTime = 1200 * time.Millisecond
	// probesAtOnce and probesEach bound what many zones cost; the oldest answers are asked for first.
	probesAtOnce = 32
	probesEach   = 512
	// goodFor and badFor are for how long a verdict is believed, and lostAfter when it is no longer
	// one at all.
	goodFor   = 2 * time.Second
	badFor    = time.Second
	lostAfter = time.Minute
)

// probeTries are for how long an answer is awaited, one time after the other: a datagram gets lost. Together they leave
// a quarter of a look to a machine that is busy; what is not waited for to the end is not known.
var probeTries = []time.Duration{300 * time.Millisecond, 600 * time.Millisecond}

// forwarded is a zone that others know.
type forwarded struct {
	ID, Name  string
	ForwardTo []string
}

// pair is one forwarder of one zone.
type pair struct{ forwarder, zone string }

type verdict struct {
	at   time.Time
	code string
}

const (
	answers = ""       // what it has to say of the zone is its own affair
	silent  = "silent" // else the code of its answer, such as REFUSED
)

// prober remembers what became of its questions.
type prober struct {
	ask func(ctx context.Context, forwarder, zone string) string
	now func() time.Time

	mu    sync.Mutex // of a look
	known map[pair]verdict
}

// look asks the forwarders of the zones where that is due, and returns all verdicts. One that is
// missing is not known yet.
func (p *prober) look(ctx context.Context, zones []forwarded) map[pair]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	due := p.due(zones)
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var (
		under sync.WaitGroup
		room  = make(chan struct{}, probesAtOnce)
		write sync.Mutex
	)
	ask := func(one pair) string {
		room <- struct{}{}
		defer func() { <-room }()
		code := p.ask(ctx, one.forwarder, one.zone)
		if ctx.Err() == nil || code == answers { // else nobody waited for long enough
			write.Lock()
			defer write.Unlock()
			p.known[one] = verdict{p.now(), code}
		}
		return code
	}
	for _, of := range due {
		under.Go(func() {
			if ask(of[0]) == silent { // for one zone as for the next: each would cost the whole time
				write.Lock()
				defer write.Unlock()
				for _, one := range of[1:] {
					if v := p.known[of[0]]; v.code == silent {
						p.known[one] = v
					}
				}
				return
			}
			for _, one := range of[1:] {
				under.Go(func() { ask(one) })
			}
		})
	}
	under.Wait()
	out := make(map[pair]string, len(p.known))
	for one, v := range p.known {
		out[one] = v.code
	}
	return out
}

// due are those to ask, by forwarder, and forgets what is no longer there or too old.
func (p *prober) due(zones []forwarded) map[string][]pair {
	now, known := p.now(), map[pair]verdict{}
	var all []pair
	for _, z := range zones {
		for _, f := range z.ForwardTo {
			one := pair{f, z.Name}
			v, seen := p.known[one]
			if seen && now.Sub(v.at) < lostAfter {
				known[one] = v
			}
			if age := now.Sub(v.at); !seen || age >= goodFor || v.code != answers && age >= badFor {
				all = append(all, one)
			}
		}
	}
	p.known = known
	slices.SortStableFunc(all, func(a, b pair) int { return known[a].at.Compare(known[b].at) })
	due := map[string][]pair{}
	for _, one := range all[:min(len(all), probesEach)] {
		due[one.forwarder] = append(due[one.forwarder], one)
	}
	return due
}

// askForwarder asks for the start of authority of a zone: every server has an answer to that, if
// only that there is none.
func askForwarder(ctx context.Context, forwarder, zone string) string {
	at, err := unbound.ForwardAddr(forwarder)
	if err != nil {
		return silent // the resolver asks it neither
	}
	m := new(dns.Msg).SetQuestion(dns.Fqdn(zone), dns.TypeSOA)
	for _, timeout := range probeTries {
		answer, _, err := (&dns.Client{Timeout: timeout}).ExchangeContext(ctx, m, at.String())
		switch {
		case err != nil:
			continue
		case answer.Rcode == dns.RcodeSuccess || answer.Rcode == dns.RcodeNameError:
			return answers
		}
		return cmp.Or(dns.RcodeToString[answer.Rcode], "an unknown code")
	}
	return silent
}

// forwarders are what gateway-scheduler answers: those that do not do their work. An answer is
// below 8,000 bytes.
type forwarders struct {
	Silent  []string  `json:"silent,omitempty"`
	Failing []failing `json:"failing,omitempty"`
	// Unknown are names of zones of whose forwarders one was not asked yet.
	Unknown []string `json:"unknown,omitempty"`
	// Cut says that there are more of any of them.
	Cut bool `json:"cut,omitempty"`
	// Tried is what became of queries to the resolver, where it was asked for them.
	Tried unbound.Lately `json:"tried,omitzero"`
}

// failing is a forwarder that answers, and does not resolve a zone.
type failing struct {
	Zone      string `json:"zone"`
	Forwarder string `json:"forwarder"`
	Code      string `json:"code"`
}

// answerBytes leaves some room for the rest.
const answerBytes = 7000

func newForwarders(zones []forwarded, verdicts map[pair]string) (out forwarders) {
	size, told := 0, map[string]bool{}
	fits := func(text ...string) bool {
		size += 40 + len(strings.Join(text, ""))
		out.Cut = out.Cut || size > answerBytes
		return !out.Cut
	}
	for _, z := range zones {
		for _, f := range z.ForwardTo {
			code, known := verdicts[pair{f, z.Name}]
			switch {
			case !known && !slices.Contains(out.Unknown, z.Name) && fits(z.Name):
				out.Unknown = append(out.Unknown, z.Name)
			case code == silent && !told[f] && fits(f):
				out.Silent, told[f] = append(out.Silent, f), true
			case known && code != silent && code != answers && fits(z.Name, f, code):
				out.Failing = append(out.Failing, failing{z.Name, f, code})
			}
		}
	}
	return out
}
