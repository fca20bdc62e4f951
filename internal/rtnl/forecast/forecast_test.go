package forecast_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

func route(table uint32, dst string, link int) rtnl.Route {
	return rtnl.Route{Table: table, Dst: netip.MustParsePrefix(dst), Link: link, Type: unix.RTN_UNICAST}
}

func session(table uint32) forecast.Session {
	return forecast.Session{Caller: netip.MustParseAddr("203.0.113.7"), Own: netip.MustParseAddr("192.0.2.2"), Back: rtnl.Route{Table: table}}
}

func TestTheRouteOfTheAnswers(t *testing.T) {
	own, other := netip.MustParsePrefix("192.0.2.2/32"), netip.MustParsePrefix("192.0.2.3/32")
	main := rtnl.Rule{Table: unix.RT_TABLE_MAIN, Priority: 32766}
	routes := []rtnl.Route{route(254, "0.0.0.0/0", 1), route(254, "203.0.113.0/24", 2), route(100, "0.0.0.0/0", 3)}
	for _, tc := range []struct {
		name  string
		rule  rtnl.Rule
		taken uint32
		want  int
	}{
		{"the closest of the main table", rtnl.Rule{Table: 253}, 0, 2},
		{"a rule for our address", rtnl.Rule{Table: 100, Src: own}, 0, 3},
		{"a rule for another address", rtnl.Rule{Table: 100, Src: other}, 0, 2},
		{"a rule for a mark", rtnl.Rule{Table: 100, Mark: 7, Mask: 7}, 0, 2},
		{"a rule for a mark, which the kernel follows", rtnl.Rule{Table: 100, Mark: 7, Mask: 7}, 100, 3},
		{"a rule for all without a mark", rtnl.Rule{Table: 100, Mark: 7, Mask: 7, Not: true}, 0, 3},
		{"a rule for all but another address", rtnl.Rule{Table: 100, Src: other, Mark: 7, Mask: 7, Not: true}, 0, 2},
		{"a rule that passes over defaults", rtnl.Rule{Table: 100, MinPrefixLength: 1}, 0, 2},
		{"a rule that discards", rtnl.Rule{}, 0, 0},
		{"a rule of IPv6", rtnl.Rule{Table: 100, IPv6: true}, 0, 2},
	} {
		n := forecast.Network{Routes: routes, Rules: []rtnl.Rule{tc.rule, main}}
		if got, found := n.Route(session(tc.taken)); got.Link != tc.want || found != (tc.want != 0) {
			t.Errorf("%s: by link %d (%t), want %d", tc.name, got.Link, found, tc.want)
		}
	}
}

// closer leads the session by a closer route.
func closer(link int) forecast.Change {
	return func(n forecast.Network) forecast.Network {
		n.Routes = append([]rtnl.Route{route(254, "203.0.113.0/24", link)}, n.Routes...)
		return n
	}
}

func nothing(n forecast.Network) forecast.Network { return n }

func TestAChangeIsJudgedBesideTheOthers(t *testing.T) {
	kernel := forecast.Network{Routes: []rtnl.Route{route(254, "0.0.0.0/0", 1)}}
	none := func(n forecast.Network) forecast.Network { n.Routes = nil; return n }
	ifAlone := func(n forecast.Network) forecast.Network { // takes over where there is no other route
		if len(n.Routes) == 0 {
			return closer(1)(n)
		}
		return n
	}
	for _, tc := range []struct {
		name          string
		was, now, too forecast.Change
		want          string
	}{
		{"nothing changes", nothing, nothing, nothing, ""},
		{"it is led elsewhere", nothing, closer(2), nothing, "elsewhere"},
		{"its route goes", nothing, none, nothing, "no route back"},
		{"its route goes, and the others have one", nothing, none, ifAlone, ""},
		{"a route to the same link", nothing, closer(1), nothing, ""},
		{"the others alone lead it elsewhere", nothing, closer(3), closer(2), ""},
		{"the others alone end it", nothing, nothing, none, ""},
		{"a repair", none, nothing, nothing, ""},
	} {
		source := func(name string, c forecast.Change) forecast.Source {
			return forecast.Source{Name: name, Tables: []db.Table{{Name: name + "_rows"}}, Load: func(context.Context, db.DB) (forecast.Change, error) { return c, nil }}
		}
		rows := forecast.Rows{Sources: forecast.Sources{source("own", none), source("other", tc.too)}}
		why, err := rows.Lost(t.Context(), session(0), kernel, "own", tc.was, tc.now)
		if err != nil || (tc.want == "") != (why.Message == "") || !strings.Contains(why.Message, tc.want) {
			t.Errorf("%s: %q, %v; want %q", tc.name, why.Message, err, tc.want)
		}
		if got := rows.Sources.TablesBeside("own"); len(got) != 1 || got[0] != "other_rows" {
			t.Errorf("beside own are %v", got)
		}
	}
}

// Nobody can say what becomes of a session beside rows that cannot be read.
func TestRowsThatCannotBeRead(t *testing.T) {
	kernel := forecast.Network{Routes: []rtnl.Route{route(254, "0.0.0.0/0", 1)}}
	rows := forecast.Rows{Sources: forecast.Sources{{Name: "other", Load: func(context.Context, db.DB) (forecast.Change, error) { return nil, errors.ErrUnsupported }}}}
	if _, err := rows.Lost(t.Context(), session(0), kernel, "own", nothing, nothing); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the error is %v", err)
	}
}
