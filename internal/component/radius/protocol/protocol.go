// Package protocol is the little of RADIUS that asking a server takes: Access-Request with
// PAP or CHAP (RFC 2865), signed by a Message-Authenticator (RFC 3579), and the check of what
// is answered. It knows no dictionary and serves nobody.
package protocol

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // the protocol has no other
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
)

// Code is the kind of a packet.
type Code byte

// The codes of a sign-in.
const (
	AccessRequest Code = 1
	AccessAccept  Code = 2
	AccessReject  Code = 3
)

// Type is the number of an attribute.
type Type byte

// The attributes that a sign-in has.
const (
	UserName             Type = 1
	UserPassword         Type = 2
	CHAPPassword         Type = 3
	ReplyMessage         Type = 18
	CallingStationID     Type = 31
	NASIdentifier        Type = 32
	ProxyState           Type = 33
	CHAPChallenge        Type = 60
	TunnelType           Type = 64
	TunnelMediumType     Type = 65
	EAPMessage           Type = 79
	MessageAuthenticator Type = 80
	TunnelPrivateGroupID Type = 81
)

const (
	headerLen = 20
	mostLen   = 4096
	// MostPassword is the longest password that PAP carries.
	MostPassword = 128
)

// Attribute is one value of a packet.
type Attribute struct {
	Type  Type
	Value []byte
}

// Packet is a request, or the answer to one.
type Packet struct {
	Code          Code
	ID            byte
	Authenticator [16]byte
	Attributes    []Attribute
}

// Request is an Access-Request for a user, with a new authenticator.
func Request(user string) *Packet {
	p := &Packet{Code: AccessRequest}
	var id [1]byte
	_, _ = rand.Read(id[:]) // never fails
	_, _ = rand.Read(p.Authenticator[:])
	p.ID = id[0]
	p.Add(UserName, []byte(user))
	return p
}

// Add adds an attribute.
func (p *Packet) Add(t Type, value []byte) { p.Attributes = append(p.Attributes, Attribute{t, value}) }

// Get is the value of the first attribute of a type; nil where there is none.
func (p *Packet) Get(t Type) []byte {
	for _, a := range p.Attributes {
		if a.Type == t {
			return a.Value
		}
	}
	return nil
}

// PAP adds the password as PAP has it: hidden by the secret (RFC 2865, 5.2).
func (p *Packet) PAP(password, secret string) {
	plain := make([]byte, (max(len(password), 1)+15)/16*16)
	copy(plain, password)
	before := p.Authenticator[:]
	for i := 0; i < len(plain); i += 16 {
		sum := md5.Sum(append([]byte(secret), before...))
		for j := range sum {
			plain[i+j] ^= sum[j]
		}
		before = plain[i : i+16]
	}
	p.Add(UserPassword, plain)
}

// CHAP adds the answer to a challenge of its own (RFC 2865, 5.3).
func (p *Packet) CHAP(password string) {
	challenge := make([]byte, 16)
	_, _ = rand.Read(challenge)
	const id = 1
	sum := md5.Sum(append(append([]byte{id}, password...), challenge...))
	p.Add(CHAPPassword, append([]byte{id}, sum[:]...))
	p.Add(CHAPChallenge, challenge)
}

// Encode is the packet as it is sent. With signed, a Message-Authenticator comes first.
func (p *Packet) Encode(secret string, signed bool) ([]byte, error) {
	all := p.Attributes
	if signed {
		all = append([]Attribute{{MessageAuthenticator, make([]byte, 16)}}, all...)
	}
	out := make([]byte, headerLen, mostLen)
	out[0], out[1] = byte(p.Code), p.ID
	copy(out[4:headerLen], p.Authenticator[:])
	for _, a := range all {
		if len(a.Value) > 253 {
			return nil, fmt.Errorf("attribute %d has %d bytes", a.Type, len(a.Value))
		}
		out = append(out, byte(a.Type), byte(len(a.Value)+2))
		out = append(out, a.Value...)
	}
	if len(out) > mostLen {
		return nil, fmt.Errorf("the packet has %d bytes", len(out))
	}
	binary.BigEndian.PutUint16(out[2:], uint16(len(out)))
	if signed {
		copy(out[headerLen+2:], sign(out, secret))
	}
	return out, nil
}

func sign(packet []byte, secret string) []byte {
	h := hmac.New(md5.New, []byte(secret))
	h.Write(packet)
	return h.Sum(nil)
}

// Answer reads the answer to a request. One that is not signed by who has the secret is an error:
// anybody could have sent it.
func (p *Packet) Answer(data []byte, secret string) (*Packet, error) {
	if len(data) < headerLen {
		return nil, errors.New("the answer is too short")
	}
	length := int(binary.BigEndian.Uint16(data[2:]))
	if length < headerLen || length > len(data) {
		return nil, errors.New("the answer has a wrong length")
	}
	data = data[:length]
	a := &Packet{Code: Code(data[0]), ID: data[1], Authenticator: [16]byte(data[4:headerLen])}
	if a.ID != p.ID {
		return nil, errors.New("the answer is to another request")
	}
	asked := bytes.Clone(data)
	copy(asked[4:headerLen], p.Authenticator[:])
	want := md5.Sum(append(bytes.Clone(asked), secret...))
	if !hmac.Equal(want[:], a.Authenticator[:]) {
		return nil, errors.New("the answer is signed with another secret")
	}
	signed := false
	for rest := data[headerLen:]; len(rest) > 0; {
		if len(rest) < 2 || int(rest[1]) < 2 || int(rest[1]) > len(rest) {
			return nil, errors.New("the answer has a broken attribute")
		}
		value := rest[2:rest[1]]
		if Type(rest[0]) == MessageAuthenticator && len(value) == 16 {
			at := len(data) - len(rest) + 2
			unsigned := bytes.Clone(asked)
			clear(unsigned[at : at+16])
			signed = hmac.Equal(sign(unsigned, secret), value)
		}
		a.Add(Type(rest[0]), value)
		rest = rest[rest[1]:]
	}
	if !signed {
		return nil, errors.New("the answer has no valid Message-Authenticator")
	}
	return a, nil
}
