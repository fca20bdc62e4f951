package freeradius_test

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"maps"
	"net"
	"testing"
	"time"

	"gateway/internal/component/radius/radiustest"
	"gateway/lab"
)

const accountingID = 77

// accountingRequest is one of RFC 2866, made without package protocol, which knows sign-ins only.
func accountingRequest(secret string, attributes map[byte]string) []byte {
	p := append([]byte{4, accountingID, 0, 0}, make([]byte, 16)...)
	for typ, value := range attributes {
		p = append(append(p, typ, byte(len(value)+2)), value...)
	}
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
	sum := md5.Sum(append(bytes.Clone(p), secret...))
	copy(p[4:20], sum[:])
	return p
}

// account sends one and says what came back.
func account(t *testing.T, s *radiustest.Server, from, secret string, attributes map[byte]string) string {
	t.Helper()
	conn, err := s.ListenPacket(t.Context(), "udp", net.JoinHostPort(from, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := accountingRequest(secret, attributes)
	if _, err := conn.WriteTo(request, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1813}); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(radiustest.Patience)); err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 4096)
	n, _, err := conn.ReadFrom(in)
	if err != nil {
		return "silence"
	}
	answer := in[:n]
	signed := append(append(bytes.Clone(answer[:4]), request[4:20]...), answer[20:]...)
	sum := md5.Sum(append(signed, secret...))
	if n < 20 || answer[0] != 5 || answer[1] != accountingID || !bytes.Equal(sum[:], answer[4:20]) {
		return fmt.Sprintf("no answer to this request: %x", answer)
	}
	return "answered"
}

// Devices report sessions to the accounting port, and repeat until they are answered. Known clients
// are; of what they report nothing is kept.
func TestAccountingIsAnsweredAndNotKept(t *testing.T) {
	s := radiustest.New(t, lab.New(t))
	s.Use(typical())
	before := s.Logged()["signins.json"]
	const userName, statusType, sessionID, nas = 1, 40, 44, 32
	report := func(status byte, more map[byte]string) map[byte]string {
		out := map[byte]string{userName: "alice", statusType: string([]byte{0, 0, 0, status}), sessionID: "5e551011", nas: "hall"}
		maps.Copy(out, more)
		return out
	}
	for _, tc := range []struct {
		name, want, from, secret string
		attributes               map[byte]string
	}{
		{"a start", "answered", "127.0.0.2", shared, report(1, nil)},
		{"what is used meanwhile", "answered", "127.0.0.2", shared, report(3, nil)},
		{"an end", "answered", "127.0.0.2", shared, report(2, nil)},
		{"a device that starts", "answered", "127.0.0.3", shared, report(7, nil)},
		{"a hostile name", "answered", "127.0.0.2", shared, report(1, map[byte]string{userName: "%{exec:/usr/bin/touch /tmp/ran}\n`x`\x00'\""})},
		{"a wrong secret", "silence", "127.0.0.2", "another", report(1, nil)},
		{"an unknown client", "silence", "127.0.0.9", shared, report(1, nil)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := account(t, s, tc.from, tc.secret, tc.attributes); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
	if after := s.Logged()["signins.json"]; after != before {
		t.Errorf("the log of sign-ins has %s", after)
	}
	for name, text := range s.Logged() {
		if bytes.Contains([]byte(text), []byte("5e551011")) {
			t.Errorf("%s has the session: %s", name, text)
		}
	}
	if out, err := s.Run(t.Context(), "test", "-e", "/tmp/ran"); err == nil {
		t.Errorf("a program ran: %s", out)
	}
}
