package netstate

import (
	"bytes"
	"reflect"
	"slices"

	"gateway/internal/rtnl"
)

// fewRoutes is up to how many are changed without a look at those that stay: to list ten thousand
// of them takes longer than all else that is done for one more.
const fewRoutes = 100

// changeRoutes adds and removes some routes where nothing else changed and the kernel was found
// as wanted. It answers false where there is more to do, or the kernel refused one of them: then
// it has to be looked at. What others changed since wakes background, as ever.
func (n *network) changeRoutes(old []byte, read parsed) (done bool) {
	if !n.looked || len(n.wrong)+len(n.backoffs) > 0 || len(old) == 0 || !bytes.Equal(old, n.read.text) {
		return false
	}
	drop, add, ok := read.routesAlone()
	if !ok {
		return false
	}
	conn, err := n.Open()
	if err != nil {
		return false
	}
	defer conn.Close()
	var have Kernel
	if have.Links, err = conn.Links(); err != nil {
		return false
	}
	if have.Addrs, err = conn.Addrs(); err != nil {
		return false
	}
	p := newPlanner(read.Config, have)
	var messages []rtnl.Message
	message := func(routes []Route, of func(rtnl.Route) rtnl.Message) {
		for _, w := range routes {
			r, known := p.route(w, routesByKey{})
			messages, ok = append(messages, of(r)), ok && known
		}
	}
	message(add, rtnl.AddRoute)
	message(drop, rtnl.DelRoute)
	if !ok {
		return false
	}
	refused, err := conn.Do(messages)
	return err == nil && refused == nil
}

// routesAlone are the routes that went and came with a file, where that is all that is other
// than in the one before. One in the place of another is not among it: there the order counts.
// Nor is one by a link alone, in whose network the gateways of others may be.
func (p parsed) routesAlone() (drop, add []Route, ok bool) {
	if len(p.gone.Links)+len(p.come.Links)+len(p.gone.Addresses)+len(p.come.Addresses) > 0 || max(len(p.gone.Routes), len(p.come.Routes)) > fewRoutes {
		return nil, nil, false
	}
	without := func(all, others []Route) []Route {
		return slices.DeleteFunc(slices.Clone(all), func(r Route) bool { return slices.Contains(others, r) })
	}
	drop, add = without(p.gone.Routes, p.come.Routes), without(p.come.Routes, p.gone.Routes)
	if slices.ContainsFunc(slices.Concat(drop, add), func(r Route) bool { return r.Dev != "" && !r.Gateway.IsValid() }) {
		return nil, nil, false
	}
	for _, a := range add {
		if slices.ContainsFunc(drop, func(d Route) bool { return d.kernel().Key() == a.kernel().Key() }) {
			return nil, nil, false
		}
	}
	return drop, add, len(drop)+len(add) > 0
}

// apartFrom reports whether a change is one of a few routes, none of which leads to the session
// or to the gateway that its answers go by: then the kernel's own need not be listed to judge it.
func (s session) apartFrom(was, now Config) bool {
	if !reflect.DeepEqual(was.Links, now.Links) || !slices.Equal(was.Addresses, now.Addresses) {
		return false
	}
	gone, come := differing(was.Routes, now.Routes)
	if max(len(gone), len(come)) > fewRoutes {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(gone, come), func(r Route) bool {
		return r.Dst.Contains(s.Caller) || s.Back.Gateway.IsValid() && r.Dst.Contains(s.Back.Gateway)
	})
}

// differing are what is between the first and the last that two lists do not have alike.
func differing[T comparable](a, b []T) (onlyA, onlyB []T) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}
