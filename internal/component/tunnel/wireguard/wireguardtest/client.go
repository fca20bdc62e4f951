package wireguardtest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/conn"
	"golang.zx2c4.com/wireguard/device"
	"golang.zx2c4.com/wireguard/tun"
	"golang.zx2c4.com/wireguard/tun/tuntest"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// Client is somebody's phone: it has no interface, and sends pings through a tunnel.
type Client struct {
	Key     wgtypes.Key // its private one
	Addr    netip.Addr  // in the tunnel
	device  *device.Device
	tun     *tuntest.ChannelTUN
	end     func()
	mu      sync.Mutex
	sent    uint16
	waiting map[uint16]time.Time
	got     map[uint16]time.Duration
}

// quiet does not say that it is up: the sockets would be made on any thread, so in any network.
type quiet struct {
	tun.Device
	events chan tun.Event
}

// Events are none.
func (q quiet) Events() <-chan tun.Event { return q.events }

// Close ends it.
func (q quiet) Close() error {
	close(q.events)
	return q.Device.Close()
}

// distant is a network that takes its time: wireguard-go arms its timers after it has sent, and
// an answer that is faster than that makes it repeat a handshake for ever.
type distant struct{ conn.Bind }

const latency = 2 * time.Millisecond

// Open binds the sockets.
func (d distant) Open(port uint16) ([]conn.ReceiveFunc, uint16, error) {
	all, port, err := d.Bind.Open(port)
	for i, receive := range all {
		all[i] = func(packets [][]byte, sizes []int, from []conn.Endpoint) (int, error) {
			n, err := receive(packets, sizes, from)
			<-time.After(latency)
			return n, err
		}
	}
	return all, port, err
}

// NewKey makes a private key.
func NewKey(t testing.TB) wgtypes.Key {
	t.Helper()
	k, err := wgtypes.GeneratePrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Network is where a client is: a lab.Space, or a client of the lab.
type Network interface{ Do(f func() error) error }

// NewClient starts one in the space that sends everything through the tunnel. preshared is zero
// for none.
func NewClient(t testing.TB, space Network, key wgtypes.Key, addr netip.Addr, server, preshared wgtypes.Key, endpoint netip.AddrPort) *Client {
	t.Helper()
	return NewClientFor(t, space, key, addr, server, preshared, endpoint, "0.0.0.0/0")
}

// NewClientFor starts one that sends and takes what is allowed to the server only.
func NewClientFor(t testing.TB, space Network, key wgtypes.Key, addr netip.Addr, server, preshared wgtypes.Key, endpoint netip.AddrPort, allowed ...string) *Client {
	t.Helper()
	c := &Client{Key: key, Addr: addr, tun: tuntest.NewChannelTUN(), waiting: map[uint16]time.Time{}, got: map[uint16]time.Duration{}}
	c.device = device.NewDevice(quiet{c.tun.TUN(), make(chan tun.Event)}, distant{conn.NewDefaultBind()}, device.NewLogger(device.LogLevelSilent, ""))
	config := fmt.Sprintf("private_key=%s\npublic_key=%s\npreshared_key=%s\nendpoint=%s\n",
		hex.EncodeToString(key[:]), hex.EncodeToString(server[:]), hex.EncodeToString(preshared[:]), endpoint)
	for _, network := range allowed {
		config += "allowed_ip=" + network + "\n"
	}
	if err := c.device.IpcSet(config); err != nil {
		t.Fatal(err)
	}
	if endpoint.Addr().IsLoopback() {
		AwaitBound(t, space, int(endpoint.Port()))
	}
	if err := space.Do(c.device.Up); err != nil { // its sockets stay there
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go c.receive(ended)
	c.end = sync.OnceFunc(func() {
		close(ended)
		c.device.Close()
	})
	t.Cleanup(c.end)
	return c
}

// Close switches it off, which the end of the test does too.
func (c *Client) Close() { c.end() }

// AwaitBound waits until wireguard-go, which hears of its interface being up by an event,
// listens: whoever sends the first packet too early sends the next one after five seconds.
func AwaitBound(t testing.TB, space Network, port int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		err := space.Do(func() error {
			l, err := net.ListenPacket("udp4", fmt.Sprintf("127.0.0.1:%d", port))
			if err == nil {
				err = l.Close()
			}
			return err
		})
		if err != nil {
			return
		}
		<-time.After(2 * time.Millisecond)
	}
	t.Fatalf("port %d is not bound", port)
}

func (c *Client) receive(ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case p := <-c.tun.Inbound:
			if len(p) < 28 || p[20] != 0 { // an echo reply
				continue
			}
			seq := binary.BigEndian.Uint16(p[26:])
			c.mu.Lock()
			if at, ok := c.waiting[seq]; ok {
				delete(c.waiting, seq)
				c.got[seq] = time.Since(at)
			}
			c.mu.Unlock()
		}
	}
}

// Ping sends one, without waiting for the answer.
func (c *Client) Ping(to netip.Addr) (seq uint16) {
	c.mu.Lock()
	c.sent++
	seq = c.sent
	c.waiting[seq] = time.Now()
	c.mu.Unlock()
	c.tun.Outbound <- echo(c.Addr, to, seq)
	return seq
}

// Counts are how many pings were sent, and how many of them answered.
func (c *Client) Counts() (sent, answered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) + len(c.got), len(c.got)
}

// Forget counts anew.
func (c *Client) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting, c.got = map[uint16]time.Time{}, map[uint16]time.Duration{}
}

// Reach pings until an answer comes, and reports whether one came in time.
func (c *Client) Reach(to netip.Addr, within time.Duration) bool {
	c.Forget()
	for end := time.Now().Add(within); time.Now().Before(end); {
		c.Ping(to)
		for range 10 {
			if _, n := c.Counts(); n > 0 {
				return true
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	return false
}

// echo is a ping by IPv4.
func echo(from, to netip.Addr, seq uint16) []byte {
	p := make([]byte, 28)
	p[0], p[3], p[8], p[9] = 0x45, 28, 64, 1
	copy(p[12:], from.AsSlice())
	copy(p[16:], to.AsSlice())
	binary.BigEndian.PutUint16(p[10:], checksum(p[:20]))
	p[20] = 8
	binary.BigEndian.PutUint16(p[24:], 7)
	binary.BigEndian.PutUint16(p[26:], seq)
	binary.BigEndian.PutUint16(p[22:], checksum(p[20:]))
	return p
}

func checksum(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
