package netstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gateway/lab/qemutest"
	"gateway/tools/bar"
)

// Bonds and VLANs of random configurations, on a kernel that has them. What is shown of them is
// what TestBarNetwork01Random shows of bridges.
//
// shows NET-08, NET-09
func TestBarNetwork01Stacks(t *testing.T) {
	bar.NotShort(t)
	out := qemutest.Run(t, "^TestStacksInTheMachine$", time.Duration(bar.GateSize(5, 5, 60))*time.Minute, "8021q", "bonding", "bridge", "veth")
	bar.Relay(t, out)
}

// TestStacksInTheMachine is what the bar runs.
func TestStacksInTheMachine(t *testing.T) {
	qemutest.Inside(t)
	size := bar.GateSize(6, 20, 200)
	space, n := newKernel(t)
	r := rand.New(rand.NewPCG(14, 2))
	var vlans, bonds int
	w := walked(t, space, n, subscribed(t, space, n), size, func(i int, old Config) (now Config) {
		if i%2 == 1 {
			now = restacked(r, old)
		} else {
			now = stack(r, random(r))
		}
		for _, l := range now.Links {
			switch l.Kind {
			case VLAN:
				vlans++
			case Bond:
				bonds++
			}
		}
		return now
	})
	c := stacked()
	n.become(t, Config{}, c)
	c.Links[1].VLANID++ // the control: a reader that does not look would not miss it
	if differs(c, seen(t, space)) == "" {
		t.Error("another VLAN id is not noticed")
	}
	c.Links[1].VLANID, c.Links[0].Mode = c.Links[1].VLANID-1, "balance-rr"
	if differs(c, seen(t, space)) == "" {
		t.Error("another mode of a bond is not noticed")
	}
	t.Run("sessions", TestASessionThroughABondAndAVLAN)
	bar.Report(t, "network", 1, fmt.Sprintf("%d configurations with %d VLANs and %d bonds on Debian's kernel, emulated: %d otherwise than the model; %d of %d links, memberships, addresses and routes touched that were to be kept; strangers touched in %d",
		size, vlans, bonds, w.wrong, w.rebuilt, w.watched, w.touched), "0 otherwise, 0 touched", w.wrong+w.rebuilt+w.touched == 0 && vlans > 0 && bonds > 0 && !t.Failed())
}

// stack builds bonds and VLANs into a configuration. What was on a port that becomes a member is
// on its bond then.
func stack(r *rand.Rand, c Config) Config {
	for i := range r.IntN(3) {
		b := Link{Name: fmt.Sprintf("bond%d", i), Kind: Bond}
		free := loose(c, Ethernet)
		free = slices.DeleteFunc(free, func(name string) bool { return name == "p0" }) // which has a stranger's address
		for len(free) > 1 && len(b.Members) < 1+i {
			j := r.IntN(len(free))
			b.Members, free = append(b.Members, free[j]), slices.Delete(free, j, j+1)
		}
		if tune(r, &b); len(b.Members) > 0 {
			c.Links = append(c.Links, b)
		}
	}
	for i := range r.IntN(4) {
		v := Link{Name: fmt.Sprintf("vlan%d", i), Kind: VLAN, Parent: pick(r, loose(c, Ethernet, Bond, Bridge)...), VLANID: 1 + i*1000 + r.IntN(900)}
		for j, a := range c.Addresses {
			if a.Link == v.Parent && r.IntN(2) == 0 {
				c.Addresses[j].Link = v.Name
			}
		}
		for j, l := range c.Links {
			if on, _ := find(c, v.Parent); l.Kind == Bridge && on.Kind != Bridge && r.IntN(3) == 0 {
				c.Links[j].Members = append(slices.Clone(l.Members), v.Name)
				break
			}
		}
		c.Links = append(c.Links, v)
	}
	return onMasters(c)
}

// tune gives a bond parameters.
func tune(r *rand.Rand, b *Link) {
	b.Mode, b.Hash, b.Miimon, b.LACPRate = pick(r, Modes...), pick(r, Hashes[:3]...), pick(r, 0, 50, 200), ""
	if b.Mode == Modes[modeLACP] {
		b.LACPRate = pick(r, LACPRates...)
	}
	b.Primary = ""
	if b.Mode == DefaultMode && len(b.Members) > 0 && r.IntN(2) == 0 {
		b.Primary = b.Members[0]
	}
}

// loose are the links of these kinds that are members of nothing.
func loose(c Config, kinds ...string) (out []string) {
	for _, l := range c.Links {
		if slices.Contains(kinds, l.Kind) && memberOf(c, l.Name) == "" {
			out = append(out, l.Name)
		}
	}
	return out
}

// onMasters moves what is on the members of bonds to those, and leaves their MTU to them.
func onMasters(c Config) Config {
	above := map[string]string{}
	for _, l := range c.Links {
		if l.Kind == Bond {
			for _, m := range l.Members {
				above[m] = l.Name
			}
		}
	}
	for i, l := range c.Links {
		if above[l.Name] != "" || l.Kind == Bond || l.Kind == VLAN {
			c.Links[i].MTU = 0
		}
	}
	for i, a := range c.Addresses {
		if to := above[a.Link]; to != "" {
			c.Addresses[i].Link = to
		}
	}
	for i, route := range c.Routes {
		if to := above[route.Dev]; to != "" {
			c.Routes[i].Dev = to
		}
	}
	return c
}

// restacked is altered, with another id of a VLAN or other parameters of a bond.
func restacked(r *rand.Rand, old Config) Config {
	c := altered(r, old)
	for i, l := range c.Links {
		switch {
		case r.IntN(2) == 0:
		case l.Kind == VLAN:
			c.Links[i].VLANID = (l.VLANID/1000)*1000 + 901 + r.IntN(90)
		case l.Kind == Bond:
			tune(r, &c.Links[i])
		}
	}
	return onMasters(c)
}

// interrupted are the links that the kernel has down for a moment, or makes anew, on the way
// from one configuration to the other: it takes a member of a bond only while that is down, and
// a mode or rate only while the bond is.
func interrupted(old, now Config) map[string]bool {
	out := map[string]bool{}
	between := func(a, b Config) {
		for _, l := range a.Links {
			other, there := find(b, l.Name)
			changed := l.Kind == Bond && (asMade(l).Mode != asMade(other).Mode || asMade(l).LACPRate != asMade(other).LACPRate)
			if there && changed || l.Kind == VLAN && (other.VLANID != l.VLANID || other.Parent != l.Parent) {
				out[l.Name] = true
			}
			for _, m := range l.Members {
				if l.Kind == Bond && (!there || changed || !slices.Contains(other.Members, m)) {
					out[m] = true
				}
			}
		}
	}
	between(old, now)
	between(now, old)
	for range now.Links { // and what is on them
		for _, l := range now.Links {
			if out[l.Parent] {
				out[l.Name] = true
			}
		}
	}
	return out
}
