package dhcp_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/api/apitest"
	"gateway/internal/apply"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dhcp"
	"gateway/internal/component/dhcp/dhcptest"
	"gateway/tools/bar"
)

// lan is a subnet on a wire of its own, with its clients.
type lan struct {
	iface    string
	number   int // its second byte
	id       string
	model    *dhcptest.Model
	hosts    []*host
	reserved map[string]string // ids of reservations, by MAC address
}

func (l *lan) addr(c, d int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(l.number), byte(c), byte(d)})
}

// pools are those of the first or the second sort; half of their addresses they share.
func (l *lan) pools(sort int) [][2]netip.Addr {
	return [][2]netip.Addr{{l.addr(1+sort, 0), l.addr(1+sort, 255)}, {l.addr(2+sort, 0), l.addr(2+sort, 255)}}
}

// body is what an operator asks for, to have the terms.
func (l *lan) body(t dhcptest.Terms) object {
	pools := []string{}
	for _, p := range t.Pools {
		pools = append(pools, p[0].String()+"-"+p[1].String())
	}
	return object{
		"interface": l.iface, "subnet": l.addr(0, 0).String() + "/16", "pools": pools, "gateway": t.Router.String(),
		"domain": t.Domain, "lease_time": t.Lease, "options": []string{"66 text " + t.Boot},
	}
}

// operator changes a server that four networks of clients use.
type operator struct {
	served
	tracker *tracker
	lans    []*lan
	guests  *lan // a fifth subnet that comes and goes, and its one client
	guest   *host
	phase   int // of it
	random  *rand.Rand
	kind    int
	made    int // changes
}

func newOperator(t *testing.T, clients int, seed uint64) *operator {
	t.Helper()
	wires := map[string]string{}
	for i := range 5 {
		wires[fmt.Sprintf("eth%d", i+1)] = fmt.Sprintf("10.%d.0.1/16", 61+i)
	}
	o := &operator{served: wired(t, nil, nil, wires), tracker: newTracker(t), random: rand.New(rand.NewPCG(seed, seed))}
	for i := range 5 {
		l := &lan{iface: fmt.Sprintf("eth%d", i+1), number: 61 + i, reserved: map[string]string{}}
		iface(o.Rig, l.iface, "lan")
		l.model = dhcptest.NewModel(dhcptest.Terms{Pools: l.pools(0), Lease: 1200, Router: l.addr(0, 1), Domain: "lan.example.com", Boot: "boot", By: map[string]dhcptest.Reserved{}})
		if i == 4 {
			o.guests, o.guest = l, o.tracker.join(o.kea.NewClient(l.iface, "02:00:5e:00:54:00"), l.model)
			break
		}
		l.id = o.Do("POST", "/dhcp/subnets", l.body(l.model.Now())).Want(http.StatusCreated).ID()
		for n := i; n < clients; n += 4 {
			mac := fmt.Sprintf("02:00:5e:01:%02x:%02x", n/256, n%256)
			l.hosts = append(l.hosts, o.tracker.join(o.kea.NewClient(l.iface, mac), l.model))
		}
		o.lans = append(o.lans, l)
	}
	o.Edit("/dhcp/settings", object{"enabled": true}).Want(http.StatusOK)
	o.applied()
	return o
}

// applied fails unless the server runs on all that was asked for.
func (o *operator) applied() {
	o.T.Helper()
	states, err := o.States(o.T.Context())
	if err != nil || len(states) != 1 || states[0].Stage != apply.LiveStage {
		o.T.Fatalf("after %d changes the server is %+v, %v", o.made, states, err)
	}
	o.made++
}

// change does the next thing, at a random subnet.
func (o *operator) change() {
	o.T.Helper()
	l := o.lans[o.random.IntN(len(o.lans))]
	m := l.hosts[o.random.IntN(len(l.hosts))]
	kinds := []func(*lan, *host){o.tellOthers, o.keep, o.visit, o.moveAway, o.otherPools, o.endLease, o.rename, o.otherTime, o.visit, o.letGo}
	kinds[o.kind%len(kinds)](l, m)
	o.kind++
	o.applied()
}

// edit has a subnet give other things.
func (o *operator) edit(l *lan, edit func(*dhcptest.Terms)) {
	o.T.Helper()
	terms := l.model.Now().With(edit)
	l.model.Change(terms, func() { o.Edit("/dhcp/subnets/"+l.id, l.body(terms)).Want(http.StatusOK) })
}

func (o *operator) tellOthers(l *lan, _ *host) {
	o.T.Helper()
	o.edit(l, func(t *dhcptest.Terms) {
		t.Domain, t.Boot = fmt.Sprintf("d%d.example.com", o.kind), fmt.Sprintf("boot%d", o.kind)
	})
}

func (o *operator) otherTime(l *lan, _ *host) {
	o.T.Helper()
	o.edit(l, func(t *dhcptest.Terms) { t.Lease = 1200 + o.random.IntN(2400) })
}

func (o *operator) otherPools(l *lan, _ *host) {
	o.T.Helper()
	o.edit(l, func(t *dhcptest.Terms) { t.Pools = l.pools(o.random.IntN(2)) })
}

// reserve is one of a client that has none yet, or another address for one that has.
func (o *operator) reserve(l *lan, m *host, r dhcptest.Reserved) {
	o.T.Helper()
	mac := m.MAC.String()
	body := object{"subnet_id": l.id, "address": r.Address.String(), "mac": mac, "hostname": r.Name}
	l.model.Change(l.model.Now().With(func(t *dhcptest.Terms) { t.By[mac] = r }), func() {
		if id := l.reserved[mac]; id != "" {
			o.Edit("/dhcp/reservations/"+id, body).Want(http.StatusOK)
			return
		}
		l.reserved[mac] = o.Do("POST", "/dhcp/reservations", body).Want(http.StatusCreated).ID()
	})
}

// keep makes what a client has its own.
func (o *operator) keep(l *lan, m *host) {
	o.T.Helper()
	m.Lock()
	addr := m.has()
	m.Unlock()
	if !l.model.Now().InPool(addr) { // it is about to have another one
		o.moveAway(l, m)
		return
	}
	o.reserve(l, m, dhcptest.Reserved{Address: addr, Name: fmt.Sprintf("kept%d", o.kind)})
}

// spare is an address that nobody but this client is ever given.
func (o *operator) spare(l *lan, m *host) netip.Addr { return l.addr(int(m.MAC[4])+9, int(m.MAC[5])) }

// moveAway ends what a client has, so nothing is asked by it meanwhile: it would not be told.
func (o *operator) moveAway(l *lan, m *host) {
	o.T.Helper()
	m.Lock()
	defer m.Unlock()
	addr := o.spare(l, m)
	if m.has() != addr {
		m.hold(netip.Addr{})
	}
	o.reserve(l, m, dhcptest.Reserved{Address: addr, Name: fmt.Sprintf("moved%d", o.kind)})
}

// reservedOne is a client that has a reservation; without one, the client gets one.
func (o *operator) reservedOne(l *lan, m *host) (mac string) {
	o.T.Helper()
	for mac := range l.model.Now().By {
		return mac
	}
	o.moveAway(l, m)
	return m.MAC.String()
}

func (o *operator) rename(l *lan, m *host) {
	o.T.Helper()
	mac := o.reservedOne(l, m)
	r := l.model.Now().By[mac]
	r.Name = fmt.Sprintf("called%d", o.kind)
	l.model.Change(l.model.Now().With(func(t *dhcptest.Terms) { t.By[mac] = r }), func() {
		o.Edit("/dhcp/reservations/"+l.reserved[mac], object{"hostname": r.Name}).Want(http.StatusOK)
	})
}

func (o *operator) letGo(l *lan, m *host) {
	o.T.Helper()
	mac := o.reservedOne(l, m)
	l.model.Change(l.model.Now().With(func(t *dhcptest.Terms) { delete(t.By, mac) }), func() {
		o.Do("DELETE", "/dhcp/reservations/"+l.reserved[mac], nil).Want(http.StatusOK)
	})
	delete(l.reserved, mac)
}

// endLease takes a lease away, of which the client is not told.
func (o *operator) endLease(_ *lan, m *host) {
	o.T.Helper()
	m.Lock()
	defer m.Unlock()
	if addr := m.has(); addr.IsValid() {
		m.hold(netip.Addr{})
		if a := o.Do("DELETE", "/dhcp/leases/"+addr.String(), nil); a.Status == http.StatusNotFound {
			o.tracker.mu.Lock()
			o.tracker.lost++
			o.tracker.mu.Unlock()
			o.T.Logf("%s holds %s, and there is no lease of it", m.MAC, addr)
		} else {
			a.Want(http.StatusOK)
		}
	}
}

// visit has the fifth subnet come, served on an interface more, stop, go on and go.
func (o *operator) visit(*lan, *host) {
	o.T.Helper()
	l := o.guests
	switch o.phase % 4 {
	case 0:
		l.id = o.Do("POST", "/dhcp/subnets", l.body(l.model.Now())).Want(http.StatusCreated).ID()
	case 1:
		o.Edit("/dhcp/subnets/"+l.id, object{"active": false}).Want(http.StatusOK)
	case 2:
		o.Edit("/dhcp/subnets/"+l.id, object{"active": true}).Want(http.StatusOK)
	case 3:
		o.Do("DELETE", "/dhcp/subnets/"+l.id, nil).Want(http.StatusOK)
	}
	if o.phase%2 == 0 {
		o.guest.acquire(o.T.Context(), true, toHave)
	}
	o.phase++
}

func (o *operator) hosts() []*host {
	all := []*host{o.guest}
	for _, l := range o.lans {
		all = append(all, l.hosts...)
	}
	return all
}

// held are the leases as the API lists them: who has which address.
func (o *operator) held() map[string]string {
	o.T.Helper()
	out := map[string]string{}
	for from := 0; ; from += 1000 {
		page := apitest.Data[[]dhcp.Lease](o.Do("GET", fmt.Sprintf("/dhcp/leases?limit=1000&offset=%d", from), nil).Want(http.StatusOK))
		for _, l := range page {
			out[l.Address] = l.MAC
		}
		if len(page) < 1000 {
			return out
		}
	}
}

// Clients ask while an operator works: each has what the rows say, and nobody what another has.
func TestBarServices03AddressesWhileTheServerIsChanged(t *testing.T) {
	clients, changes := bar.Size(50, 1000), bar.GateSize(20, 60, 1000)
	seed := componenttest.FuzzSeed(t)
	o := newOperator(t, clients, seed)
	pid, end := o.kea.PID(), make(chan struct{})
	pause := time.Duration(clients) * time.Second / 60
	var all sync.WaitGroup
	for _, l := range o.lans {
		for i, m := range l.hosts {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			all.Go(func() { m.live(t.Context(), pause, random, end) })
		}
	}
	stop := sync.OnceFunc(func() { close(end); all.Wait() })
	defer stop()
	began := time.Now()
	for range changes {
		o.change()
	}
	took := time.Since(began)
	stop()
	o.tracker.missing(o.hosts(), o.held())
	got, restarted := o.tracker.said(), o.kea.PID() != pid || o.kea.Starts != 1
	noticed, of := o.controls()
	figure := fmt.Sprintf("%d clients in 4 subnets, %d changes in %.0f s, %d exchanges: %v (slowest %.1f s), restarted: %v; controls noticed: %d of %d",
		clients, changes, took.Seconds(), got.exchanges, got, got.slowest.Seconds(), restarted, noticed, of)
	right := got.wrong+got.duplicates+got.lost == 0 && !restarted && noticed == of && got.exchanges > clients
	if !right {
		t.Logf("seed %d", seed)
	}
	bar.ReportTimed(t, "services", 3, figure, "0 of each, no restart, all controls", right, got.without == 0)
}

// controls do what must be counted: an address for two, a lease that is gone, another answer than
// the rows', silence, and a restart.
func (o *operator) controls() (noticed, of int) {
	o.T.Helper()
	ctx, l, f := o.T.Context(), o.lans[0], newTracker(o.T)
	client := func(n int, m *dhcptest.Model) *host {
		return f.join(o.kea.NewClient(l.iface, fmt.Sprintf("02:00:5e:00:55:%02x", n)), m)
	}
	one, other := client(1, l.model), client(2, l.model)
	one.acquire(ctx, false, toHave)
	if _, err := o.kea.Client.Release(ctx, one.has().String()); err != nil {
		o.T.Fatal(err)
	}
	asked := time.Now()
	ack, err := other.ObtainLike(ctx, one.has(), toHave)
	other.note(ack, err, asked)
	f.missing([]*host{one, other}, o.held())
	client(3, dhcptest.NewModel(l.model.Now().With(func(t *dhcptest.Terms) { t.Lease++ }))).acquire(ctx, false, toHave)
	pid := o.kea.PID()
	_ = unix.Kill(-pid, unix.SIGSTOP)
	client(4, l.model).acquire(ctx, false, time.Second)
	_ = unix.Kill(-pid, unix.SIGCONT)
	o.kea.Stop()
	o.Forget()
	o.MustSync()
	got := f.said()
	for _, is := range []bool{got.duplicates == 1, got.lost == 1, got.wrong == 1, got.without == 1, o.kea.PID() != pid} {
		if of++; is {
			noticed++
		}
	}
	return noticed, of
}
