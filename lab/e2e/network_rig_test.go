package e2e

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"gateway/lab"
)

// Addresses of the node that are configured by its API, and those of the operators who come to
// them: one from beyond the default route, one from an office behind a bridge.
const (
	outerAddress = "10.77.0.1"
	outerGateway = "10.77.0.254"
	farOperator  = "198.51.100.9"
	innerAddress = "10.78.0.1"
	nearOperator = "10.78.0.9"
	officeBridge = "br9"
)

// operator is somebody with a session, at a place in the network.
type operator struct {
	from *lab.Client
	to   string
	*caller
}

// legs is a node whose network was configured from afar: an address and the default route on
// eth1, a bridge with an address on eth2 and eth3. Its first caller is in a network that
// nobody changes.
type legs struct {
	*appliance
	c         *caller
	far, near *operator

	inner, route, bridge string // ids
}

func newLegs(t *testing.T) *legs {
	t.Helper()
	l := lab.New(t)
	a := startSetUp(t, l, "wan", "office", "spare")
	n := &legs{appliance: a}
	far, near := l.Client("far", lab.On("wan")), l.Client("near", lab.On("office"))
	for _, line := range []string{
		"addr add " + farOperator + "/32 dev lo", "addr add " + outerGateway + "/24 dev eth0", "route add " + outerAddress + "/32 dev eth0 src " + farOperator,
	} {
		far.MustRun(t, "sh", "-c", "ip "+line)
	}
	near.MustRun(t, "ip", "addr", "add", nearOperator+"/24", "dev", "eth0")
	a.client.MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn("lan").String())
	far.MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn("wan").String())
	n.c = a.signedIn(a.admin)
	n.configure()
	n.far, n.near = n.operator(far, outerAddress), n.operator(near, innerAddress)
	a.settles(n.c, patience)
	return n
}

// configure makes the rows. What the lab gave the ports goes first: it would be a stranger's.
func (n *legs) configure() {
	n.t.Helper()
	n.sh("ip addr flush dev eth2; ip addr flush dev eth3")
	make := func(path string, body object) string { return n.c.post(path, body).want(201).live().id() }
	eth1 := make("/network-interfaces", object{"name": "eth1", "type": "ethernet", "role": "wan"})
	make("/ip-addresses", object{"interface_id": eth1, "address": outerAddress, "prefix": 24})
	make("/ip-addresses", object{"interface_id": eth1, "address": "fd77::1", "prefix": 64})
	make("/routes", object{"destination": "2001:db8:77::/48", "gateway": "fd77::254"})
	n.route = make("/routes", object{"destination": "0.0.0.0/0", "gateway": outerGateway})
	for _, port := range []string{"eth2", "eth3"} { // undeclared ones of this kind would be somebody's container
		make("/network-interfaces", object{"name": port, "type": "ethernet"})
	}
	n.bridge = make("/network-interfaces", object{"name": officeBridge, "type": "bridge", "role": "lan", "members": []string{"eth2", "eth3"}})
	n.inner = make("/ip-addresses", object{"interface_id": n.bridge, "address": innerAddress, "prefix": 24})
}

func (n *legs) operator(from *lab.Client, to string) *operator {
	n.t.Helper()
	o := &operator{from: from, to: to}
	n.eventually(patience, to+" can be reached", func() bool { return o.reaches(n.t.Context()) })
	o.caller = n.comesFrom(o)
	o.login(n.admin).want(200)
	return o
}

// comesFrom is a caller at the operator's place, with connections of its own: those of before a
// cut hang for long.
func (n *legs) comesFrom(o *operator) *caller {
	n.t.Helper()
	there := *n.appliance
	there.client = o.from
	c := there.stranger()
	c.base = "https://" + netip.AddrPortFrom(netip.MustParseAddr(o.to), 3443).String()
	if o.caller != nil {
		c.cookies = maps.Clone(o.cookies)
	}
	return c
}

// reaches reports whether a new connection comes about.
func (o *operator) reaches(ctx context.Context) bool { return o.dial(ctx) == nil }

// hears reports whether a packet comes back, and be it that nobody listens yet.
func (o *operator) hears(ctx context.Context) bool {
	err := o.dial(ctx)
	return err == nil || errors.Is(err, syscall.ECONNREFUSED)
}

func (o *operator) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond) // less than it takes to ask again
	defer cancel()
	conn, err := o.from.DialContext(ctx, "tcp", o.to+":3443")
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// kernel is what the node has of ours, as iproute2 shows it.
func (n *legs) kernel() string {
	n.t.Helper()
	return n.sh("ip -4 route show proto 250 table all; ip -6 route show proto 250 table all; " +
		"for l in eth1 " + officeBridge + "; do ip -o addr show dev $l scope global proto 250 | awk '{print $2, $4}'; done; " +
		"for p in eth2 eth3; do echo $p $(ip -o link show $p | grep -o 'master [^ ]*'); done")
}

// locksOut reports whether an answer says that the caller would be cut off.
func locksOut(r *answer) bool { return r.status == http.StatusConflict && r.code() == "would_lock_out" }
