package kea

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gateway/internal/daemon"
)

// ConfFile is what Kea reads. AppArmor lets it read below /etc/kea only, where Debian's own file
// stays beside it.
const ConfFile = "/etc/kea/gateway/kea-dhcp4.conf"

// document is the file. Only typed values get into it, each by encoding/json.
type document struct {
	DHCP4 config `json:"Dhcp4"`
}

type config struct {
	Interfaces    interfaces   `json:"interfaces-config"`
	Socket        socket       `json:"control-socket"`
	Leases        database     `json:"lease-database"`
	Sanity        sanity       `json:"sanity-checks"`
	Expired       expired      `json:"expired-leases-processing"`
	Hooks         []hook       `json:"hooks-libraries"`
	Loggers       []logger     `json:"loggers"`
	Authoritative bool         `json:"authoritative"`
	MatchClientID bool         `json:"match-client-id"`
	Identifiers   []string     `json:"host-reservation-identifiers"`
	SendUpdates   bool         `json:"ddns-send-updates"`
	CalculateTees bool         `json:"calculate-tee-times"`
	Shared        []sharedConf `json:"shared-networks,omitempty"`
	Subnets       []subnetConf `json:"subnet4"`
}

// all are the subnets, wherever they stand.
func (c config) all() []subnetConf {
	out := slices.Clone(c.Subnets)
	for _, network := range c.Shared {
		out = append(out, network.Subnets...)
	}
	return out
}

// interfaces are what Kea listens on. Its raw sockets see packets before the packet filter does,
// so this list is what keeps wan out.
type interfaces struct {
	Names      []string `json:"interfaces"`
	SocketType string   `json:"dhcp-socket-type"`
	Redetect   bool     `json:"re-detect"`
	// An interface that is down is tried again for as long as it takes: Kea gives up otherwise, and
	// serves nobody until somebody notices.
	MaxRetries int `json:"service-sockets-max-retries"`
	RetryWait  int `json:"service-sockets-retry-wait-time"` // milliseconds
}

type socket struct {
	Type string `json:"socket-type"`
	Name string `json:"socket-name"`
}

// database is the file of leases. It is compacted often: its length is how long a reload takes.
type database struct {
	Type     string `json:"type"`
	Persist  bool   `json:"persist"`
	Name     string `json:"name,omitempty"`
	Interval int    `json:"lfc-interval"`
}

// sanity has leases follow their address into the subnet that holds it now, and drops none.
type sanity struct {
	Leases string `json:"lease-checks"`
}

type expired struct {
	Wait int `json:"reclaim-timer-wait-time"`
	Hold int `json:"hold-reclaimed-time"`
}

type hook struct {
	Library string `json:"library"`
}

type logger struct {
	Name     string   `json:"name"`
	Severity string   `json:"severity"`
	Outputs  []output `json:"output-options"`
}

type output struct {
	Output  string `json:"output"`
	Pattern string `json:"pattern"`
}

// subnetConf is one subnet. Its number is its network address: that is unique, the same on every
// node, and leases find their subnet again by it.
type subnetConf struct {
	ID           uint32            `json:"id"`
	Subnet       string            `json:"subnet"`
	Interface    string            `json:"interface,omitempty"`
	Lifetime     int               `json:"valid-lifetime"`
	Context      subnetContext     `json:"user-context"`
	Pools        []poolConf        `json:"pools"`
	Options      []optionConf      `json:"option-data"`
	Reservations []reservationConf `json:"reservations"`
}

// sharedConf are the subnets of an interface that has several. Of subnets that stand alone Kea
// serves the first one of an interface, and no client of the others.
type sharedConf struct {
	Name      string       `json:"name"`
	Interface string       `json:"interface,omitempty"`
	Subnets   []subnetConf `json:"subnet4"`
}

// subnetContext is for us: Kea keeps it and does nothing with it.
type subnetContext struct {
	Domain   string `json:"domain"`
	DNSNames bool   `json:"dns-names"`
	// Taken are the first labels that no client has below the domain, see Taken.Below.
	Taken []string `json:"taken-names,omitempty"`
}

type poolConf struct {
	Pool string `json:"pool"`
}

type optionConf struct {
	Code int    `json:"code"`
	CSV  bool   `json:"csv-format"`
	Data string `json:"data"`
}

type reservationConf struct {
	MAC      string `json:"hw-address,omitempty"`
	ClientID string `json:"client-id,omitempty"`
	Address  string `json:"ip-address"`
	Hostname string `json:"hostname,omitempty"`
}

// text is the file, a line for each value, so that people can compare two of them.
func (d document) text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Written by gateway from its database. Manual edits are overwritten.\n")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("write %s: %w", ConfFile, err)
	}
	return b.Bytes(), nil
}

var errOther = errors.New("the file is not one that we would write")

// parse reads back what text wrote, and nothing else: the difference of two files says what Kea
// is told.
func parse(r daemon.Rendering) (config, error) {
	_, body, found := bytes.Cut(r.File(ConfFile), []byte("\n"))
	if i := bytes.LastIndex(body, []byte("\n# ")); i >= 0 { // an installed file ends with its hash
		body = body[:i+1]
	}
	var d document
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	if err := in.Decode(&d); !found || err != nil {
		return config{}, errors.Join(errOther, err)
	}
	return d.DHCP4, nil
}

// memo remembers what the last two files say: a round asks several times, and of ten thousand
// reservations that takes longer than it may.
type memo struct {
	mu    sync.Mutex
	known [2]known // the later one first
}

type known struct {
	text []byte
	conf config
}

// parse is parse, where it must. Nobody writes into what it returns.
func (m *memo) parse(r daemon.Rendering) (config, error) {
	text := r.File(ConfFile)
	if c, ok := m.get(text); ok {
		return c, nil
	}
	c, err := parse(r)
	if err == nil {
		m.put(text, c)
	}
	return c, err
}

func (m *memo) get(text []byte) (config, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.known {
		if k.text != nil && bytes.Equal(k.text, text) {
			return k.conf, true
		}
	}
	return config{}, false
}

func (m *memo) put(text []byte, c config) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !bytes.Equal(m.known[0].text, text) {
		m.known[0], m.known[1] = known{text, c}, m.known[0]
	}
}
