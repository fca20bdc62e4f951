package tunnel_test

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"gateway/internal/component/tunnel/wireguard"
)

// scan reads a QR code as a phone does.
func scan(t testing.TB, image string) string {
	t.Helper()
	picture, err := png.Decode(strings.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	found, err := qrcode.NewQRCodeReader().Decode(bits, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found.GetText()
}

// privateKey is the one that is stored for a peer.
func (r rig) privateKey(peer string) string {
	r.T.Helper()
	var sealed []byte
	if err := r.Pool.QueryRow(r.T.Context(), `select private_key from tunnel_peers where id = $1`, peer).Scan(&sealed); err != nil {
		r.T.Fatal(err)
	}
	key, err := r.Box.Unseal(sealed, wireguard.PeerKeyPlace(peer))
	if err != nil {
		r.T.Fatal(err)
	}
	return key.Reveal()
}

// shows TUN-06, TUN-14, TUN-18, TUN-20
func TestAPeerGetsItsConfiguration(t *testing.T) {
	r := newRig(t)
	_, shared := keys(t)
	wg0 := r.server("wg0", "10.8.0.1/24, fd00:8::1/64", object{"client_routes": "192.168.1.0/24,10.8.0.0/24", "dns": "10.8.0.1, intern.example.com", "mtu": 1400})
	ann := r.peer(wg0, "ann", object{"preshared_key": shared, "keepalive": 25, "allowed_ips": []string{"10.8.0.2", "fd00:8::2", "172.16.0.0/24"}})
	want := fmt.Sprintf(`[Interface]
PrivateKey = %s
Address = 10.8.0.2/32, fd00:8::2/128
DNS = 10.8.0.1, intern.example.com
MTU = 1400

[Peer]
PublicKey = %s
PresharedKey = %s
AllowedIPs = 10.8.0.0/24, fd00:8::/64, 192.168.1.0/24
Endpoint = vpn.example.com:51820
PersistentKeepalive = 25
`, r.privateKey(ann.ID), wg0.PublicKey, shared)
	for _, at := range []string{"/tunnel/peers/", "/peers/"} {
		if got := r.Do("GET", at+ann.ID+"/config", nil).Want(200).Text; got != want {
			t.Errorf("%s: the text is\n%s\nwant\n%s", at, got, want)
		}
		if got := scan(t, r.Do("GET", at+ann.ID+"/qr", nil).Want(200).Text); got != want {
			t.Errorf("%s: the code is\n%s\nwant\n%s", at, got, want)
		}
		r.As("viewer", "GET", at+ann.ID+"/config", nil).Want(403)
		r.As("viewer", "GET", at+ann.ID+"/qr", nil).Want(403)
		r.Do("GET", at+wg0.ID+"/config", nil).Want(404)
		r.Do("GET", at+"x/qr", nil).Want(404)
	}
	if n := strings.Count(strings.Join(r.Actions(), "\n"), "tunnel.peer.download ann"); n != 4 {
		t.Errorf("the audit log has %d downloads of 4: %v", n, r.Actions())
	}
}

// shows TUN-14
func TestWithoutAPrivateKeyThereIsNoConfiguration(t *testing.T) {
	r := newRig(t)
	wg0, bare := r.server("wg0", "10.8.0.1/24"), r.server("wg1", "10.9.0.1/24", object{"endpoint": ""})
	up := r.client("wg2", "10.10.0.2/32")
	public, _ := keys(t)
	for id, code := range map[string]string{
		r.peer(wg0, "branch", object{"public_key": public}).ID:                   "no_private_key",
		r.peer(wg0, "lan", object{"allowed_ips": []string{"192.168.7.0/24"}}).ID: "no_address",
		r.peer(bare, "ann").ID: "no_endpoint",
		r.peer(up, "us", object{"endpoint": "198.51.100.7:51820"}).ID:                         "not_a_server",
		r.peer(wg0, "long", object{"allowed_ips": slices.Collect(many("10.8.1.%d", 250))}).ID: "too_long",
	} {
		for _, form := range []string{"config", "qr"} {
			if code == "too_long" && form == "config" {
				continue
			}
			if a := r.Do("GET", "/tunnel/peers/"+id+"/"+form, nil).Want(409); a.Error.Code != code {
				t.Errorf("%s: %s %q, want %s", form, a.Error.Code, a.Error.Message, code)
			}
		}
	}
}

func many(format string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(fmt.Sprintf(format, i)) {
				return
			}
		}
	}
}

func TestWhatIsWrittenPastTheAPINeverBecomesALine(t *testing.T) {
	r := newRig(t)
	wg0 := r.server("wg0", "10.8.0.1/24", object{"dns": "10.8.0.1", "client_routes": "192.168.1.0/24"})
	ann := r.peer(wg0, "ann")
	for _, hostile := range []string{
		`update tunnel_interfaces set dns = E'1.1.1.1\nPostUp = id'`, `update tunnel_interfaces set endpoint = E'a\nPostUp = id'`,
		`update tunnel_interfaces set client_routes = E'10.0.0.0/8\nPostUp = id'`, `update tunnel_interfaces set address_cidr = E'10.8.0.1/24\nPostUp = id'`,
		`update tunnel_interfaces set public_key = E'x\nPostUp = id'`, `update tunnel_peers set allowed_ips = array[E'10.8.0.2/32\nPostUp = id']`,
	} {
		r.Restore(hostile)
		if a := r.Do("GET", "/tunnel/peers/"+ann.ID+"/config", nil); a.Status != 409 || bytes.Contains([]byte(a.Text), []byte("PostUp")) {
			t.Errorf("%s: answered %d %s", hostile, a.Status, a.Text)
		}
		r.Restore(`update tunnel_interfaces set dns = '', endpoint = 'vpn.example.com', client_routes = '', address_cidr = '10.8.0.1/24', public_key = $1`, wg0.PublicKey)
		r.Restore(`update tunnel_peers set allowed_ips = array['10.8.0.2/32']`)
	}
	r.Do("GET", "/tunnel/peers/"+ann.ID+"/config", nil).Want(200)
}
