package radius

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/fault"
)

// answerTime bounds a question to the daemon. It is on this machine, and refuses at once.
const answerTime = 1500 * time.Millisecond

// nobody is a name that no user can have: to be refused is a sign of life.
const nobody = "gateway/nobody"

func dialProbe(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "udp", fmt.Sprintf("127.0.0.1:%d", freeradius.ProbePort))
}

// probe signs in at the port for this machine. Silence is a fault in the operator's words.
func (h *handlers) probe(ctx context.Context, user, password string, chap bool) (*protocol.Packet, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	secret, err := freeradius.LoadProbe(ctx, h.DB, h.Box.Unseal)
	if err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, silent(errors.New("there is no secret of this node yet"))
	}
	p := protocol.Request(user)
	if chap {
		p.CHAP(password)
	} else {
		p.PAP(password, secret.Reveal())
	}
	data, err := p.Encode(secret.Reveal(), true)
	if err != nil {
		return nil, err
	}
	conn, err := h.Dial(ctx)
	if err != nil {
		return nil, silent(err)
	}
	defer conn.Close()
	answer, err := exchange(ctx, conn, data)
	if err != nil {
		return nil, silent(err)
	}
	a, err := p.Answer(answer, secret.Reveal())
	if err != nil {
		return nil, silent(err)
	}
	return a, nil
}

func exchange(ctx context.Context, conn net.Conn, data []byte) ([]byte, error) {
	end, _ := ctx.Deadline()
	if err := conn.SetDeadline(end); err != nil {
		return nil, err
	}
	if _, err := conn.Write(data); err != nil {
		return nil, err
	}
	in := make([]byte, 4096)
	n, err := conn.Read(in)
	return in[:n], err
}

func silent(err error) error {
	f := fault.New(fault.Unavailable, "the RADIUS server does not answer; switch it off and on in its settings, or see the log of %s", freeradius.Unit)
	return errors.Join(f.WithCode("radius_unavailable"), fmt.Errorf("ask FreeRADIUS: %w", err))
}

// orOff says that it is switched off, where that is why it does not answer.
func (h *handlers) orOff(ctx context.Context, silent error) error {
	return component.OrOff(ctx, h.DB, `select enabled from radius_settings`, "the RADIUS server", silent)
}
