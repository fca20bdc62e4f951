package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// rowsAndKernel prints what is stored of the network, a line of dashes, and what the kernel has
// of it, as the same words.
const rowsAndKernel = `runuser -u postgres -- psql -XAtq -v ON_ERROR_STOP=1 -d gateway -c "
select format('%s %s/%s', i.name, a.address, a.prefix) from network_addresses a join network_interfaces i on i.id = a.interface_id
union all select format('%s via %s', destination, gateway) from network_routes where active
union all select format('%s in %s', m, name) from network_interfaces, unnest(members) m order by 1" | sort
echo ---
{ ip -o -4 addr show dev br7 | awk '{print $2, $4}'
ip -4 route show proto 250 table all | awk '{print $1, "via", $3}'
ip -o link show | awk '{for (i = 1; i < NF; i++) if ($i == "master") {sub(/[@:].*/, "", $2); print $2, "in", $(i + 1)}}'
} | sort`

// endings changes the network of a node and ends processes meanwhile.
type endings struct {
	*appliance
	c      *caller
	rand   *rand.Rand
	bridge string
	routes map[string]string // ids, by destination
	// unanswered are the changes that nobody heard the end of.
	unanswered, kills int
	slowest           time.Duration
}

// What gateway-apply by itself does when it is killed in the middle of hundreds of routes is
// TestBarNetwork03Kills; here the whole node is it, API, applier and both.
func TestBarNetwork03Processes(t *testing.T) {
	a, c := alone(t)
	e := &endings{appliance: a, c: c, rand: rand.New(rand.NewPCG(14, 33)), routes: map[string]string{}}
	e.configure()
	if stored, kernel := e.look(); len(stored) != 3 || !slices.Equal(stored, kernel) {
		t.Fatalf("stored %q, in the kernel %q", stored, kernel)
	}
	n, kills, control := bar.GateSize(6, 48, 999), map[string]int{}, false
	units := [][]string{{"gateway-api"}, {"gateway-apply"}, {"gateway-api", "gateway-apply"}}
	defer func() {
		figure := fmt.Sprintf("%d kills on a node %v, %d changes unanswered: wanted = kernel after at most %.2f s; control with nobody to apply it noticed: %t",
			e.kills, kills, e.unanswered, e.slowest.Seconds(), control)
		bar.ReportTimed(t, "network", 3, figure, "wanted = kernel within 5 s, the control is noticed", !t.Failed() && control && e.kills == n && e.unanswered >= n/4, e.slowest <= 5*time.Second)
	}()
	for i := range n {
		which := units[i%len(units)]
		kills[strings.Join(which, "+")]++
		if e.once(which); t.Failed() {
			return
		}
	}
	control = e.control()
}

// configure makes a bridge of a port, with a network for the gateways of routes.
func (e *endings) configure() {
	e.t.Helper()
	e.sh("for i in 0 2; do ip link add story$i type veth peer name story$((i + 1)) && ip link set story$((i + 1)) up; done")
	for _, port := range []string{"story0", "story2"} {
		e.c.post("/network-interfaces", object{"name": port, "type": "ethernet"}).want(201).live()
	}
	e.bridge = e.c.post("/network-interfaces", e.bridgeOf("story0")).want(201).live().id()
	e.c.post("/ip-addresses", object{"interface_id": e.bridge, "address": "10.81.0.1", "prefix": 24}).want(201).live()
	e.routes["198.18.0.0/24"] = e.c.post("/routes", object{"destination": "198.18.0.0/24", "gateway": "10.81.0.2"}).want(201).live().id()
}

func (e *endings) bridgeOf(members ...string) object {
	return object{"name": "br7", "type": "bridge", "members": members}
}

// change is one of the network's, as a request. A route that was made counts as there only when
// the answer said so.
func (e *endings) change() (method, path string, body object) {
	net := e.rand.IntN(250)
	destination := fmt.Sprintf("198.18.%d.0/24", net)
	id, there := e.routes[destination]
	switch e.rand.IntN(4) {
	case 0:
		return "PUT", "/network-interfaces/" + e.bridge, e.bridgeOf([][]string{{"story0"}, {"story2"}, {"story0", "story2"}}[e.rand.IntN(3)]...)
	case 1:
		return "POST", "/ip-addresses", object{"interface_id": e.bridge, "address": fmt.Sprintf("10.82.%d.1", net), "prefix": 24}
	case 2:
		if there {
			delete(e.routes, destination)
			return "DELETE", "/routes/" + id, nil
		}
	}
	return "POST", "/routes", object{"destination": destination, "gateway": fmt.Sprintf("10.81.0.%d", 2+e.rand.IntN(3))}
}

// once ends processes while a change is under way, and waits until what is stored is in the kernel.
func (e *endings) once(units []string) {
	e.t.Helper()
	kill := []string{"kill", "-9"}
	for _, u := range units {
		kill = append(kill, e.mainPID(u+".service"))
	}
	method, path, body := e.change()
	answered := make(chan *answer, 1)
	go func() {
		r, err := e.c.try(method, path, body)
		if err != nil {
			r = nil
		}
		answered <- r
	}()
	time.Sleep(time.Duration(e.rand.IntN(60)) * time.Millisecond)
	e.run(kill...)
	began := time.Now()
	e.kills++
	switch r := <-answered; {
	case r == nil || r.status >= http.StatusInternalServerError || r.status < http.StatusMultipleChoices && r.header.Get("Gateway-Apply") != "live":
		e.unanswered++
	case r.status == http.StatusCreated && path == "/routes":
		e.routes[body["destination"].(string)] = r.id()
	}
	var stored, kernel []string
	e.eventually(patience, fmt.Sprintf("%v killed, %s %s: what is stored is in the kernel", units, method, path), func() bool {
		stored, kernel = e.look()
		return slices.Equal(stored, kernel)
	})
	e.slowest = max(e.slowest, time.Since(began))
	e.run(append([]string{"systemctl", "start"}, units...)...) // where it is not there by itself yet
	e.eventually(patience, "the API answers", func() bool {
		r, err := e.c.try("GET", "/routes?limit=1", nil)
		return err == nil && r.status == http.StatusOK
	})
}

// look reads both sides.
func (e *endings) look() (stored, kernel []string) {
	e.t.Helper()
	rows, now, ok := strings.Cut(e.sh(rowsAndKernel), "---")
	if !ok {
		e.t.Fatal("there is no line between")
	}
	return strings.Split(strings.TrimSpace(rows), "\n"), strings.Split(strings.TrimSpace(now), "\n")
}

// control reports whether a change that nobody applies is noticed.
func (e *endings) control() bool {
	e.t.Helper()
	e.sh("systemctl stop gateway-apply.socket gateway-apply.service")
	_, _ = e.c.try("POST", "/routes", object{"destination": "198.19.0.0/24", "gateway": "10.81.0.2"})
	stored, kernel := e.look()
	return !slices.Equal(stored, kernel)
}
