package radiustest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"gateway/internal/component/radius/protocol"
	"gateway/lab"
)

// Question is a request of a test's.
type Question struct {
	From     string // address to ask from; empty for the client that tests on the loopback have
	To       string // address and port; empty for the usual ones there
	Secret   string
	User     string
	Password string
	CHAP     bool
	Unsigned bool                   // no Message-Authenticator
	Broken   bool                   // one that is not right
	Change   func(*protocol.Packet) // what else there is in it, before it is signed
}

// Patience is how long an answer is waited for. A refusal takes a second by itself.
const Patience = 3 * time.Second

// Verdict is an answer in a word.
func Verdict(p *protocol.Packet) string {
	switch {
	case p == nil:
		return "silence"
	case p.Code == protocol.AccessAccept:
		return "accept"
	case p.Code == protocol.AccessReject:
		return "reject"
	}
	return fmt.Sprintf("code %d", p.Code)
}

// Ask asks once as a device at a machine would; nil is silence.
func Ask(ctx context.Context, at *lab.Client, q Question, patience time.Duration) (*protocol.Packet, error) {
	d, err := Open(ctx, at, q.From)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Ask(q, patience)
}

// Device is a socket of something that asks.
type Device struct{ conn net.PacketConn }

// Open makes a socket at an address of a machine.
func Open(ctx context.Context, at *lab.Client, from string) (*Device, error) {
	conn, err := at.ListenPacket(ctx, "udp", net.JoinHostPort(cmp.Or(from, "127.0.0.2"), "0"))
	if err != nil {
		return nil, err
	}
	return &Device{conn}, nil
}

// Close gives the socket back.
func (d *Device) Close() error { return d.conn.Close() }

// Ask is Ask by this socket, wherever the question is said to come from.
func (d *Device) Ask(q Question, patience time.Duration) (*protocol.Packet, error) {
	p := protocol.Request(q.User)
	data, err := q.encode(p)
	if err != nil {
		return nil, err
	}
	to, err := net.ResolveUDPAddr("udp", cmp.Or(q.To, "127.0.0.1:1812"))
	if err != nil {
		return nil, err
	}
	if err := d.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := d.conn.WriteTo(data, to); err != nil {
		return nil, err
	}
	in := make([]byte, 4096)
	for {
		n, _, err := d.conn.ReadFrom(in)
		if err != nil {
			return nil, nil //nolint:nilerr // silence is an answer
		}
		if n > 1 && in[1] == p.ID { // not what was waited for no longer
			return p.Answer(in[:n], q.Secret)
		}
	}
}

func (q Question) encode(p *protocol.Packet) ([]byte, error) {
	if q.CHAP {
		p.CHAP(q.Password)
	} else if q.Password != "" {
		p.PAP(q.Password, q.Secret)
	}
	if q.Change != nil {
		q.Change(p)
	}
	data, err := p.Encode(q.Secret, !q.Unsigned)
	if q.Broken && err == nil {
		at := bytes.Index(data[20:], []byte{byte(protocol.MessageAuthenticator), 18}) + 20
		data[at+2] ^= 1
	}
	return data, err
}
