package tunnel

import (
	"fmt"
	"image"
	"image/color"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// text is the configuration in the form of wg-quick. Rows may be older than our rules or
// written by another hand, and a line of this file can be a command: every value is read again.
func (g given) text(private, shared secret.Text) (secret.Text, error) {
	networks, err := wireguard.ParseAddresses(g.Address)
	if err != nil {
		return "", unusable(g.Tunnel)
	}
	allowed, err := wireguard.ParseAllowed(g.AllowedIPs)
	if err != nil {
		return "", unusable(g.Name)
	}
	routes, err := wireguard.ParseAllowed(words(g.Routes))
	if err != nil {
		return "", unusable(g.Tunnel)
	}
	endpoint, err := wireguard.ParseEndpoint(withPort(g.Endpoint, g.Port))
	if err != nil {
		return "", unusable(g.Tunnel)
	}
	own := addressesOf(allowed, networks)
	if len(own) == 0 {
		return "", fault.New(fault.Conflict, "%s has no address of its own: its allowed IPs need a /32 or /128", g.Name).WithCode("no_address")
	}
	through := make([]netip.Prefix, 0, len(networks)+len(routes))
	for _, n := range networks {
		through = append(through, n.Masked())
	}
	for _, r := range routes {
		if !slices.Contains(through, r) {
			through = append(through, r)
		}
	}
	f := file{}
	f.line("[Interface]")
	f.key("PrivateKey", private.Reveal())
	f.set("Address", joined(own))
	f.servers(g.DNS)
	f.number("MTU", g.MTU)
	f.line("")
	f.line("[Peer]")
	f.key("PublicKey", g.PublicKey)
	if shared != "" {
		f.key("PresharedKey", shared.Reveal())
	}
	f.set("AllowedIPs", joined(through))
	f.set("Endpoint", endpoint.String())
	f.number("PersistentKeepalive", g.Keepalive)
	if f.bad {
		return "", unusable(g.Name)
	}
	return secret.Text(f.text.String()), nil
}

func unusable(name string) error {
	return fault.New(fault.Conflict, "%s has a value that cannot be used in a configuration; save it again", name).WithCode("not_usable")
}

// addressesOf are a peer's own among what it may send from: single addresses, those of the
// tunnel's networks where there are some.
func addressesOf(allowed, networks []netip.Prefix) []netip.Prefix {
	var single, inside []netip.Prefix
	for _, a := range allowed {
		if !a.IsSingleIP() {
			continue
		}
		single = append(single, a)
		if slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a.Addr()) }) {
			inside = append(inside, a)
		}
	}
	if len(inside) > 0 {
		return inside
	}
	return single
}

// file is being written.
type file struct {
	text strings.Builder
	bad  bool // a value is not what it should be
}

func (f *file) line(s string) { f.text.WriteString(s + "\n") }

func (f *file) set(name, value string) { f.line(name + " = " + value) }

func (f *file) number(name string, n int) {
	if n > 0 {
		f.set(name, fmt.Sprint(n))
	}
}

func (f *file) key(name, text string) {
	key, err := wireguard.ParseKey(text)
	f.bad = f.bad || err != nil
	f.set(name, key.String())
}

func (f *file) servers(list string) {
	all := words(list)
	for i, s := range all {
		host, err := value.HostOrName(s)
		f.bad = f.bad || err != nil
		all[i] = host
	}
	if len(all) > 0 {
		f.set("DNS", strings.Join(all, ", "))
	}
}

// framed is an image with white around it.
type framed struct {
	image.Image
	margin int
}

// Bounds are those of the image and its margin.
func (f framed) Bounds() image.Rectangle {
	return image.Rect(0, 0, f.Image.Bounds().Dx()+2*f.margin, f.Image.Bounds().Dy()+2*f.margin)
}

// ColorModel is grey: there is black and white.
func (f framed) ColorModel() color.Model { return color.GrayModel }

// At is white outside of the image.
func (f framed) At(x, y int) color.Color {
	at := image.Pt(x-f.margin, y-f.margin).Add(f.Image.Bounds().Min)
	if !at.In(f.Image.Bounds()) {
		return color.White
	}
	return f.Image.At(at.X, at.Y)
}
