package dhcp_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/dhcp"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/daemon"
	"gateway/internal/setupstate"
)

// shows DHCP-01, DHCP-02
func TestSettingsAreOneRowAndOffByDefault(t *testing.T) {
	r := rig(t)
	s := apitest.Data[dhcp.Settings](r.Do("GET", "/dhcp/settings", nil).Want(http.StatusOK))
	if s.Enabled || !s.Authoritative || !r.Rendered().Off() {
		t.Errorf("a fresh node has %+v, its units are %v", s, r.Rendered().Units)
	}
	r.Do("POST", "/dhcp/settings", object{"enabled": true}).Want(http.StatusMethodNotAllowed)
	r.Edit("/dhcp/settings", object{"enabled": true}).Want(http.StatusOK)
	if s = apitest.Data[dhcp.Settings](r.Do("GET", "/dhcp/settings", nil).Want(http.StatusOK)); !s.Enabled || r.Rendered().Off() {
		t.Errorf("switched on: %+v", s)
	}
	var rows int
	if err := r.Pool.QueryRow(t.Context(), `select count(id) from dhcp_settings`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// refused fails unless the answer is a 400 that names exactly this field.
func refused(t *testing.T, what string, a apitest.Answer, field string) {
	t.Helper()
	if a = a.Want(http.StatusBadRequest); a.Complaint(field) == "" {
		t.Errorf("%s: nothing is said of %s: %s", what, field, a.Text)
	}
}

// shows DHCP-05, DHCP-06, DHCP-07, DHCP-09
func TestWhatASubnetMayBe(t *testing.T) {
	r := rig(t)
	iface(r, "eth3", "")
	for _, tc := range []struct {
		what  string
		with  object
		field string
	}{
		{"an interface that is not there", object{"interface": "eth9"}, "interface"},
		{"an interface that cannot be there", object{"interface": "eth 1"}, "interface"},
		{"wan", object{"interface": "eth0"}, "interface"},
		{"an interface in no zone", object{"interface": "eth3"}, "interface"},
		{"no network", object{"subnet": "192.0.2.0"}, "subnet"},
		{"a long prefix", object{"subnet": "192.0.2.0/33"}, "subnet"},
		{"a network of one host", object{"subnet": "192.0.2.0/31", "pools": []string{}, "gateway": ""}, "subnet"},
		{"IPv6", object{"subnet": "2001:db8::/64", "pools": []string{}, "gateway": ""}, "subnet"},
		{"loopback", object{"subnet": "127.0.0.0/8", "pools": []string{}, "gateway": ""}, "subnet"},
		{"a gateway that is no address", object{"gateway": "gateway"}, "gateway"},
		{"a gateway elsewhere", object{"gateway": "192.0.3.1"}, "gateway"},
		{"the network address as gateway", object{"gateway": "192.0.2.0"}, "gateway"},
		{"a pool elsewhere", object{"pools": []string{"192.0.3.1-192.0.3.9"}}, "pools[0]"},
		{"a pool that is none", object{"pools": []string{"all"}}, "pools[0]"},
		{"a pool from high to low", object{"pools": []string{"192.0.2.20-192.0.2.10"}}, "pools[0]"},
		{"a pool with the broadcast address", object{"pools": []string{"192.0.2.20-192.0.2.255"}}, "pools[0]"},
		{"a pool with the gateway", object{"gateway": "192.0.2.50", "pools": []string{"192.0.2.20-192.0.2.60"}}, "pools[0]"},
		{"a pool with an address of this node", object{"gateway": "", "pools": []string{"192.0.2.1-192.0.2.60"}}, "pools[0]"},
		{"two pools that overlap", object{"pools": []string{"192.0.2.20-192.0.2.60", "192.0.2.60-192.0.2.70"}}, "pools[1]"},
		{"a DNS server that is no address", object{"dns_servers": []string{"dns.example.com"}}, "dns_servers[0]"},
		{"a DNS server of IPv6", object{"dns_servers": []string{"2001:db8::1"}}, "dns_servers[0]"},
		{"an NTP server twice", object{"ntp_servers": []string{"192.0.2.2", "192.0.2.2"}}, "ntp_servers[1]"},
		{"a domain that is none", object{"domain": "a b"}, "domain"},
		{"a domain of two lines", object{"domain": "a\nb"}, "domain"},
		{"names without a domain", object{"dns_names": true}, "domain"},
		{"an option with a field of its own", object{"options": []string{"3 addresses 192.0.2.9"}}, "options[0]"},
		{"an option of the protocol", object{"options": []string{"53 hex 05"}}, "options[0]"},
		{"an option twice", object{"options": []string{"66 text a", "66 text b"}}, "options[1]"},
		{"a number that is none", object{"options": []string{"26 number16 70000"}}, "options[0]"},
		{"a text of two lines", object{"options": []string{"66 text a\nb"}}, "options[0]"},
		{"half a byte", object{"options": []string{"224 hex abc"}}, "options[0]"},
		{"a description with control characters", object{"description": "a\x07b"}, "description"},
	} {
		refused(t, tc.what, r.Do("POST", "/dhcp/subnets", subnet(tc.with)), tc.field)
	}
	for _, time := range []int{0, -5, 59, 1 << 40} {
		r.Do("POST", "/dhcp/subnets", subnet(object{"lease_time": time})).Want(http.StatusBadRequest)
	}
	made := apitest.Data[dhcp.Subnet](r.Do("POST", "/dhcp/subnets", subnet(object{"subnet": "192.0.2.77/24", "domain": "LAN.Example.com."})).Want(http.StatusCreated))
	if made.Network != "192.0.2.0/24" || made.Interface != "eth1" || made.Domain != "lan.example.com" || made.LeaseTime != 86400 || !made.On() {
		t.Errorf("stored as %+v", made)
	}
	for _, taken := range []string{"192.0.2.0/24", "192.0.2.128/25", "192.0.0.0/16"} {
		refused(t, "a subnet that overlaps", r.Do("POST", "/dhcp/subnets", subnet(object{"interface": "eth2", "subnet": taken, "pools": []string{}, "gateway": ""})), "subnet")
	}
	r.Do("DELETE", "/dhcp/subnets/"+made.ID, nil).Want(http.StatusOK)
}

// shows DHCP-08
func TestWhatAReservationMayBe(t *testing.T) {
	r := rig(t)
	id := r.Do("POST", "/dhcp/subnets", subnet()).Want(http.StatusCreated).ID()
	good := object{"subnet_id": id, "address": "192.0.2.10", "mac": "02-00-5E-00-53-01", "hostname": "Printer"}
	for _, tc := range []struct {
		what  string
		with  object
		field string
	}{
		{"no subnet", object{"subnet_id": "x"}, "subnet_id"},
		{"a subnet that is not there", object{"subnet_id": "00000000-0000-7000-8000-0000000000ff"}, "subnet_id"},
		{"no address", object{"address": "ten"}, "address"},
		{"an address elsewhere", object{"address": "192.0.3.10"}, "address"},
		{"the gateway", object{"address": "192.0.2.1"}, "address"},
		{"the broadcast address", object{"address": "192.0.2.255"}, "address"},
		{"no MAC address", object{"mac": "02:00:5e:00:53"}, "mac"},
		{"text for a MAC address", object{"mac": "printer"}, "mac"},
		{"the MAC address of everybody", object{"mac": "ff:ff:ff:ff:ff:ff"}, "mac"},
		{"nobody", object{"mac": ""}, "mac"},
		{"two identities", object{"client_id": "01:02"}, "client_id"},
		{"a client id of one byte", object{"mac": "", "client_id": "01"}, "client_id"},
		{"a name of two labels", object{"hostname": "a.b"}, "hostname"},
		{"a name with a space", object{"hostname": "a b"}, "hostname"},
		{"a name that browsers trust", object{"hostname": "wpad"}, "hostname"},
	} {
		refused(t, tc.what, r.Do("POST", "/dhcp/reservations", apitest.With(good, tc.with)), tc.field)
	}
	made := apitest.Data[dhcp.Reservation](r.Do("POST", "/dhcp/reservations", good).Want(http.StatusCreated))
	if made.MAC != "02:00:5e:00:53:01" || made.Hostname != "printer" {
		t.Errorf("stored as %+v", made)
	}
	for _, twice := range []object{{"mac": "02:00:5e:00:53:02", "hostname": ""}, {"address": "192.0.2.11", "hostname": ""}, {"address": "192.0.2.11", "mac": "02:00:5e:00:53:02"}} {
		r.Do("POST", "/dhcp/reservations", apitest.With(good, twice)).Want(http.StatusConflict)
	}
	// A subnet stays where its reservations are.
	r.Edit("/dhcp/subnets/"+id, object{"subnet": "192.0.2.128/25", "pools": []string{}, "gateway": ""}).Want(http.StatusConflict)
	r.Edit("/dhcp/subnets/"+id, object{"gateway": "192.0.2.10"}).Want(http.StatusConflict)
	r.Do("DELETE", "/dhcp/subnets/"+id, nil).Want(http.StatusOK)
	r.Do("GET", "/dhcp/reservations/"+made.ID, nil).Want(http.StatusNotFound)
}

// opened are the lines that let clients in.
func opened(t *testing.T, r *componenttest.Rig) (lines []string) {
	t.Helper()
	reader := policy.New(daemon.NeedsOf([]daemon.Daemon{r.Daemon}))
	out, err := filter.New(filter.Options{Policy: reader, Log: slog.New(slog.DiscardHandler)}).Render(t.Context(), r.Pool, r.Box.Unseal)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out.Files {
		for l := range strings.Lines(string(f.Data)) {
			if strings.Contains(l, "dport 67 accept") {
				lines = append(lines, strings.TrimPrefix(strings.TrimSpace(l), "add rule inet gateway input "))
			}
		}
	}
	return lines
}

// shows FW-30*, FW-31
func TestThePortIsOpenWhereClientsAreServed(t *testing.T) {
	r := rig(t)
	iface(r, "eth4", "lan")
	want := func(what string, lines ...string) {
		t.Helper()
		if got := opened(t, r); !slices.Equal(got, lines) {
			t.Errorf("%s: %q, want %q", what, got, lines)
		}
	}
	want("off")
	r.Edit("/dhcp/settings", object{"enabled": true}).Want(http.StatusOK)
	want("nobody to serve")
	id := r.Do("POST", "/dhcp/subnets", subnet()).Want(http.StatusCreated).ID()
	want("in lan", `iifname "eth1" udp dport 67 accept`, `iifname "eth4" udp dport 67 accept`)
	r.Restore(`update dhcp_subnets set interface = 'eth0'`)
	want("a row for wan")
	r.Restore(`update dhcp_subnets set interface = 'eth2'`)
	want("in dmz", `iifname "eth2" udp dport 67 accept`)
	r.Edit("/dhcp/subnets/"+id, object{"active": false}).Want(http.StatusOK)
	want("not served")
}

// The resolver would lead who opens a site to the reserved address.
func TestAReservationIsNotNamedLikeASite(t *testing.T) {
	r := rig(t)
	site(r, "shop.lan.example.com", "off")
	site(r, "lan.example.com", "to_apex")
	site(r, "*.wild.example.com", "off")
	id := r.Do("POST", "/dhcp/subnets", subnet(object{"domain": "lan.example.com", "dns_names": true})).Want(http.StatusCreated).ID()
	reserve := func(more object) apitest.Answer {
		return r.Do("POST", "/dhcp/reservations", apitest.With(object{"subnet_id": id, "address": "192.0.2.10", "mac": "02:00:5e:00:53:01"}, more))
	}
	refused(t, "a site", reserve(object{"hostname": "shop"}), "hostname")
	refused(t, "its name with www", reserve(object{"hostname": "www"}), "hostname")
	made := reserve(object{"hostname": "nas"}).Want(http.StatusCreated).ID()
	// One that was there before the site stays editable.
	site(r, "nas.lan.example.com", "off")
	r.Edit("/dhcp/reservations/"+made, object{"description": "in the cellar"}).Want(http.StatusOK)
	if p := r.Rendered().Problems; len(p) != 1 || p[0].Subject != `the DHCP reservation of "192.0.2.10"` {
		t.Errorf("a reservation whose name became a site's is told as %+v", p)
	}
	// Where names are not answered, they are nobody's business.
	r.Edit("/dhcp/subnets/"+id, object{"dns_names": false}).Want(http.StatusOK)
	reserve(object{"address": "192.0.2.11", "mac": "02:00:5e:00:53:02", "hostname": "shop"}).Want(http.StatusCreated)
	// What an administrator reserves below a wildcard is meant.
	r.Edit("/dhcp/subnets/"+id, object{"domain": "wild.example.com", "dns_names": true}).Want(http.StatusOK)
	reserve(object{"address": "192.0.2.12", "mac": "02:00:5e:00:53:03", "hostname": "anything"}).Want(http.StatusCreated)
}

// store is the setup of a node.
type store string

func (s store) Load() (setupstate.State, error) { return setupstate.State{FQDN: string(s)}, nil }

// The management is opened by the name of the setup.
func TestTheNameOfTheNodeIsNoClients(t *testing.T) {
	r := rig(t)
	follow := func(fqdn string) {
		t.Helper()
		c := dhcp.New(dhcp.Options{DB: r.Pool, Run: r.Run, Applier: r, Host: machine(), Setup: store(fqdn)})
		if err := c.Jobs[0].Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	follow("") // before the setup
	follow("other.lan.example.com")
	follow("gw1.lan.example.com")
	id := r.Do("POST", "/dhcp/subnets", subnet(object{"domain": "lan.example.com", "dns_names": true})).Want(http.StatusCreated).ID()
	good := object{"subnet_id": id, "address": "192.0.2.10", "mac": "02:00:5e:00:53:01", "hostname": "other"}
	refused(t, "the node's name", r.Do("POST", "/dhcp/reservations", apitest.With(good, object{"hostname": "GW1"})), "hostname")
	r.Do("POST", "/dhcp/reservations", good).Want(http.StatusCreated)
	if text := r.Text(kea.ConfFile); !strings.Contains(text, `"gw1"`) || strings.Contains(strings.Split(text, `"reservations"`)[0], `"other"`) {
		t.Errorf("the file does not keep gw1 alone:\n%s", text)
	}
}
