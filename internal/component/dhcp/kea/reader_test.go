package kea

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// meant is what the file has to say, in lines: of each subnet that the API would take, that is on,
// at an interface of a zone other than wan, and that overlaps none before it, what its row says.
func (s State) meant() (out []string) {
	out = []string{fmt.Sprintf("authoritative %t", s.Settings.authoritative())}
	var have []netip.Prefix
	for _, row := range s.Subnets {
		sub := row.Subnet
		var p fault.Problems
		sub.Validate(&p, nil)
		if !row.On() || p.Err() != nil || s.Zones[sub.Interface] == "" || s.Zones[sub.Interface] == "wan" || !slices.Contains(s.Links, sub.Interface) {
			continue
		}
		network := netip.MustParsePrefix(sub.Network)
		if slices.ContainsFunc(have, network.Overlaps) {
			continue
		}
		have = append(have, network)
		at := network.String() + " "
		out = append(out, "listen "+sub.Interface, at+"interface "+sub.Interface, at+"lease "+fmt.Sprint(sub.LeaseTime), at+"names "+fmt.Sprint(sub.Domain, " ", sub.DNSNames))
		for _, line := range slices.Concat(sub.meantPools(s.Own), sub.meantOptions(), s.meantReservations(row.ID, sub, network)) {
			out = append(out, at+line)
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // two subnets may be at one interface
}

// meantPools is each address that may be given to a client.
func (s Subnet) meantPools(own []netip.Addr) (out []string) {
	for _, pool := range s.Pools {
		first, last, several := strings.Cut(pool, "-")
		if !several {
			last = first
		}
		out = append(out, each(first, last, own)...)
	}
	return out
}

func each(first, last string, but []netip.Addr) (out []string) {
	end := netip.MustParseAddr(last)
	for a := netip.MustParseAddr(first); a.Compare(end) <= 0; a = a.Next() {
		if !slices.Contains(but, a) {
			out = append(out, "address "+a.String())
		}
	}
	return out
}

// meantOptions is what clients are told, as the bytes of DHCP.
func (s Subnet) meantOptions() (out []string) {
	add := func(code int, data []byte) {
		if len(data) > 0 {
			out = append(out, fmt.Sprintf("option %d %x", code, data))
		}
	}
	add(3, ipv4(s.Gateway))
	add(6, ipv4(s.DNSServers...))
	add(15, []byte(s.Domain))
	add(42, ipv4(s.NTPServers...))
	for _, typed := range s.Options {
		words := strings.SplitN(typed, " ", 3)
		code, _ := strconv.Atoi(words[0])
		kind, text := words[1], words[2]
		n, _ := strconv.ParseUint(text, 10, 64)
		wide := binary.BigEndian.AppendUint64(nil, n)
		switch kind {
		case "text":
			add(code, []byte(text))
		case "addresses":
			add(code, ipv4(strings.Split(text, ",")...))
		case "number8":
			add(code, wide[7:])
		case "number16":
			add(code, wide[6:])
		case "number32":
			add(code, wide[4:])
		case "hex":
			data, _ := hex.DecodeString(strings.NewReplacer(":", "", " ", "", "0x", "").Replace(text))
			add(code, data)
		}
	}
	return out
}

func ipv4(texts ...string) (out []byte) {
	for _, text := range texts {
		if a, err := netip.ParseAddr(strings.TrimSpace(text)); err == nil {
			out = append(out, a.AsSlice()...)
		}
	}
	return out
}

// meantReservations is each that the API would take, unless one before it has its address or client.
func (s State) meantReservations(id string, of Subnet, network netip.Prefix) (out []string) {
	taken := map[string]bool{}
	for _, row := range s.Reservations {
		r := row.Reservation
		var p fault.Problems
		if r.Validate(&p, network, of.Gateway, s.Own); row.SubnetID != id || p.Err() != nil {
			continue
		}
		mac, client, address := "mac "+r.MAC, "client "+r.ClientID, "address "+r.Address
		if taken[address] || r.MAC != "" && taken[mac] || r.ClientID != "" && taken[client] {
			continue
		}
		taken[mac], taken[client], taken[address] = true, true, true
		out = append(out, fmt.Sprintf("reserved %s mac %q client %q name %q", r.Address, r.MAC, r.ClientID, r.Hostname))
	}
	return out
}

// readBack reads the file as any reader of JSON does, without our types, into the lines of meant.
func readBack(r daemon.Rendering) ([]string, error) {
	top, err := readTop(r)
	if err != nil {
		return nil, err
	}
	bare, err := State{Hooks: full().Hooks, Socket: full().Socket, LeaseFile: full().LeaseFile}.Render()
	if err != nil {
		return nil, err
	}
	still, err := readTop(bare)
	if err != nil {
		return nil, err
	}
	out := []string{fmt.Sprintf("authoritative %v", top["authoritative"])}
	listen := top["interfaces-config"].(map[string]any)
	for _, name := range listen["interfaces"].([]any) {
		out = append(out, fmt.Sprint("listen ", name))
	}
	subnets, err := readNetworks(top)
	if err != nil {
		return nil, err
	}
	for _, sub := range subnets {
		lines, err := readSubnet(sub)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	// All else is as it is without any rows.
	listen["interfaces"], top["subnet4"], top["authoritative"] = []any{}, []any{}, true
	delete(top, "shared-networks")
	if !reflect.DeepEqual(top, still) {
		return nil, fmt.Errorf("settings that no row says: %v", top)
	}
	slices.Sort(out)
	return out, nil
}

// readNetworks are all subnets: one alone at its interface, or several in a network that they share.
func readNetworks(top map[string]any) (out []map[string]any, err error) {
	alone := map[any]bool{}
	for _, one := range top["subnet4"].([]any) {
		sub := one.(map[string]any)
		if alone[sub["interface"]] {
			return nil, fmt.Errorf("two subnets stand alone at %v", sub["interface"])
		}
		alone[sub["interface"]] = true
		out = append(out, sub)
	}
	shared, _ := top["shared-networks"].([]any)
	for _, one := range shared {
		network := one.(map[string]any)
		name, subnets := network["interface"], network["subnet4"].([]any)
		if len(network) != 3 || network["name"] != name || alone[name] || len(subnets) < 2 {
			return nil, fmt.Errorf("a shared network %v", network)
		}
		alone[name] = true
		for _, one := range subnets {
			sub := one.(map[string]any)
			if sub["interface"] != name {
				return nil, fmt.Errorf("a subnet of %v among those of %v", sub["interface"], name)
			}
			out = append(out, sub)
		}
	}
	return out, nil
}

func readTop(r daemon.Rendering) (map[string]any, error) {
	_, body, _ := bytes.Cut(r.File(ConfFile), []byte("\n"))
	var doc map[string]map[string]any
	if err := json.Unmarshal(body, &doc); err != nil || len(doc) != 1 || doc["Dhcp4"] == nil {
		return nil, fmt.Errorf("not one object: %w", err)
	}
	return doc["Dhcp4"], nil
}

func readSubnet(sub map[string]any) (out []string, err error) {
	context := sub["user-context"].(map[string]any)
	if len(sub) != 8 || len(context) != 2 || sub["id"] == nil {
		return nil, fmt.Errorf("a subnet with %d settings, and %d of ours", len(sub), len(context))
	}
	at := fmt.Sprint(sub["subnet"], " ")
	out = append(out, fmt.Sprint(at, "interface ", sub["interface"]), fmt.Sprintf("%slease %.0f", at, sub["valid-lifetime"]), fmt.Sprint(at, "names ", context["domain"], " ", context["dns-names"]))
	for _, one := range sub["pools"].([]any) {
		pool := one.(map[string]any)
		first, last, _ := strings.Cut(pool["pool"].(string), "-")
		if len(pool) != 1 {
			return nil, fmt.Errorf("a pool %v", pool)
		}
		for _, line := range each(first, last, nil) {
			out = append(out, at+line)
		}
	}
	for _, one := range sub["option-data"].([]any) {
		line, err := readOption(one.(map[string]any))
		if err != nil {
			return nil, err
		}
		out = append(out, at+line)
	}
	for _, one := range sub["reservations"].([]any) {
		res := one.(map[string]any)
		known := map[string]any{"hw-address": "", "client-id": "", "hostname": "", "ip-address": nil}
		for name, value := range res {
			if _, ours := known[name]; !ours {
				return nil, fmt.Errorf("a reservation %v", res)
			}
			known[name] = value
		}
		out = append(out, fmt.Sprintf("%sreserved %v mac %q client %q name %q", at, known["ip-address"], known["hw-address"], known["client-id"], known["hostname"]))
	}
	return out, nil
}

// readOption takes text for what is typed already, and else bytes alone.
func readOption(o map[string]any) (string, error) {
	data, code := o["data"].(string), o["code"].(float64)
	var raw []byte
	switch {
	case len(o) != 3:
	case o["csv-format"] == false:
		raw, _ = hex.DecodeString(data)
	case code == 15 && strings.Trim(data, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "":
		raw = []byte(data)
	case code == 3 || code == 6 || code == 42:
		raw = ipv4(strings.Split(data, ", ")...)
	}
	if len(raw) == 0 || len(raw) > 255 {
		return "", fmt.Errorf("an option %v", o)
	}
	return fmt.Sprintf("option %.0f %x", code, raw), nil
}
