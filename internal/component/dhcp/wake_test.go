package dhcp

import (
	"bytes"
	"encoding/json"
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestTheMagicPacket(t *testing.T) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	to := netip.MustParseAddrPort(conn.LocalAddr().String())
	question, err := json.Marshal(wakeQuestion{"02:00:5e:00:53:01", to})
	if err != nil {
		t.Fatal(err)
	}
	if sent, err := answerWake(t.Context(), question); err != nil || sent != true {
		t.Fatalf("sent: %v, %v", sent, err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 200)
	n, _, err := conn.ReadFrom(buf)
	want := append(bytes.Repeat([]byte{255}, 6), bytes.Repeat([]byte{2, 0, 0x5e, 0, 0x53, 1}, 16)...)
	if err != nil || !bytes.Equal(buf[:n], want) {
		t.Errorf("got %x, %v", buf[:n], err)
	}
}
