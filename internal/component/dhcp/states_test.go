package dhcp_test

import (
	"net/http"
	"slices"
	"testing"

	"gateway/internal/component/dhcp"
	"gateway/internal/problem"
)

func (s served) report() problem.Report {
	s.T.Helper()
	found, err := dhcp.New(dhcp.Options{DB: s.Pool, Run: s.Run, Applier: s, Host: machine()}).Problems.Find(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	return found
}

// want fails unless the subnet is in that state for that reason; " " is one that is served.
func (s served) want(what, id, state string) {
	s.T.Helper()
	got := s.report().States["dhcp-subnet"][id]
	if text := got.State + " " + got.Code; text != state {
		s.T.Errorf("%s: %q, want %q", what, text, state)
	}
}

// full has a subnet with two pools of one address each, and both of them reserved.
func (s served) full() string {
	s.T.Helper()
	id := s.subnet(object{"pools": []string{"192.0.2.100-192.0.2.100", "192.0.2.110-192.0.2.110"}})
	for address, mac := range map[string]string{"192.0.2.100": "02:00:5e:00:53:01", "192.0.2.110": "02:00:5e:00:53:02"} {
		s.Do("POST", "/dhcp/reservations", object{"subnet_id": id, "address": address, "mac": mac}).Want(http.StatusCreated)
	}
	return id
}

func TestASubnetIsInItsNormalStateOnlyWhileItsClientsAreServed(t *testing.T) {
	s := serve(t)
	full := s.full()
	more := object{"subnet": "10.9.0.0/24", "pools": []string{"10.9.0.100-10.9.0.199"}, "gateway": ""}
	good := s.subnet(more)
	disabled := s.subnet(object{"interface": "eth2", "subnet": "198.51.100.0/24", "pools": []string{}, "gateway": "", "active": false})
	s.want("with addresses left", good, " ")
	s.want("with none left", full, "degraded dhcp.pool_full")
	s.want("disabled", disabled, "disabled ")

	// Its interface is one that the server listens on for another subnet.
	s.exec(`insert into change_applies (change_id, component, state)
		select change_id, 'dhcp', 'failed' from change_rows where new_row ->> 'id' = $1
		on conflict (change_id, component) do update set state = 'failed'`, good)
	s.want("with a round that failed", good, "not_applied dhcp.not_applied")
	s.exec(`update change_applies set state = 'live' where component = 'dhcp'`)
	s.want("with the next round", good, " ")

	s.Restore(`update dhcp_subnets set subnet = '10.9.8.0/24', pools = '{}', updated_at = now() where id::text = $1`, good)
	s.want("changed just now", good, "unknown dhcp.applying")
	s.Restore(`update dhcp_subnets set updated_at = now() - interval '1 minute' where id::text = $1`, good)
	s.want("changed a while ago", good, "not_applied dhcp.not_applied")
	s.MustSync()
	s.want("applied", good, " ")

	s.Restore(`update dhcp_subnets set subnet = '10.7.7.0/24' where id::text = $1`, good)
	s.MustSync()
	s.want("in a network that the node is not in", good, "degraded dhcp.no_address")
	if server := s.report().States["dhcp-server"]["dhcp"]; server.State != "degraded" {
		t.Errorf("with a subnet that gives out nothing, the server is %+v", server)
	}

	s.kea.Unwire("eth1")
	s.Sync()
	s.want("without its interface", good, "down dhcp.not_listening")
	s.kea.Stop()
	s.want("without the server", good, "unknown dhcp.not_answering")
	s.want("disabled, without the server", disabled, "disabled ")
	s.Restore(`update dhcp_settings set enabled = false`)
	s.want("switched off", good, "off ")
	s.want("disabled and switched off", disabled, "disabled ")
}

func (s served) exec(sql string, args ...any) {
	s.T.Helper()
	if done, err := s.Pool.Exec(s.T.Context(), sql, args...); err != nil || done.RowsAffected() == 0 {
		s.T.Fatalf("%s: %v, %v", sql, done, err)
	}
}

// What is wrong with the service is told of the service, or its page shows nothing.
func TestTheInterfacesWithoutASocketAreOneProblemOfTheServer(t *testing.T) {
	s := serve(t)
	lan := s.subnet()
	s.subnet(object{"interface": "eth2", "subnet": "198.51.100.0/24", "pools": []string{}, "gateway": ""})
	s.kea.Unwire("eth1")
	s.Sync()
	want := func(interfaces string, affected int) {
		t.Helper()
		var found []problem.Problem
		for _, p := range s.report().Problems {
			if p.Code == "dhcp.not_listening" {
				found = append(found, p)
			}
		}
		if len(found) != 1 || found[0].Subject.Kind != "service" || found[0].Subject.ID != "dhcp" || found[0].Params["interface"] != interfaces ||
			found[0].AffectsTotal != affected || found[0].Affects[0].ID != lan {
			t.Errorf("%+v, want one of the server about %s", found, interfaces)
		}
	}
	want("eth1", 1)
	s.kea.Unwire("eth2")
	s.Sync()
	want("eth1, eth2", 2)
}

// What the server does not listen on yet is no problem.
func TestASubnetOnItsWayIsNoProblem(t *testing.T) {
	s := serve(t)
	s.subnet()
	id := s.subnet(object{"interface": "eth2", "subnet": "198.51.100.0/24", "pools": []string{}, "gateway": "", "active": false})
	told := func() bool {
		return slices.ContainsFunc(s.report().Problems, func(p problem.Problem) bool { return p.Code == "dhcp.not_listening" })
	}
	s.Restore(`update dhcp_subnets set active = true, updated_at = now() where id::text = $1`, id)
	s.want("changed just now", id, "unknown dhcp.applying")
	if told() || s.report().States["dhcp-server"]["dhcp"].State != "" {
		t.Errorf("changed just now: %+v", s.report())
	}
	s.Restore(`update dhcp_subnets set updated_at = now() - interval '1 minute' where id::text = $1`, id)
	s.want("changed a while ago", id, "down dhcp.not_listening")
	if !told() {
		t.Errorf("changed a while ago: %+v", s.report())
	}
	s.MustSync()
	s.want("applied", id, " ")
	s.Restore(`update dhcp_subnets set interface = 'eth1', updated_at = now() where id::text = $1`, id)
	s.MustSync()
	s.Restore(`update dhcp_subnets set interface = 'eth2', updated_at = now() where id::text = $1`, id)
	s.want("moved just now", id, "unknown dhcp.applying")
	if told() {
		t.Errorf("moved just now: %+v", s.report())
	}
}

// Since when each of them is full is remembered by its key.
func TestTwoFullPoolsOfASubnetAreTwoProblems(t *testing.T) {
	s := serve(t)
	s.full()
	keys := map[string]bool{}
	found := s.report().Problems
	for _, p := range found {
		keys[p.Key()] = true
	}
	if len(found) != 2 || len(keys) != 2 {
		t.Errorf("%d problems, of which %d differ: %+v", len(found), len(keys), found)
	}
}
