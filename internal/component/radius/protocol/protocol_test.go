package protocol

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The packets of RFC 2865, 7.1: nemo signs in at port 3 of a device.
func TestTheExampleOfTheRFC(t *testing.T) {
	const secret = "xyzzy5461"
	p := &Packet{Code: AccessRequest, Authenticator: [16]byte(unhex(t, "0f403f9473978057bd83d5cb98f4227a"))}
	p.Add(UserName, []byte("nemo"))
	p.PAP("arctangent", secret)
	p.Add(4, []byte{192, 168, 1, 16})
	p.Add(5, []byte{0, 0, 0, 3})
	got, err := p.Encode(secret, false)
	want := unhex(t, "01 00 00 38 0f403f9473978057bd83d5cb98f4227a 01 06 6e656d6f 02 12 0dbe708d93d413ce3196e43f782a0aee 04 06 c0a80110 05 06 00000003")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the request is %x, %v, want %x", got, err, want)
	}
	// Its answer is right, but for the Message-Authenticator that nobody knew of then.
	answer := unhex(t, "02 00 00 26 86fe220e7624ba2a1005f6bf9b55e0b2 06 06 00000001 0f 06 00000000 0e 06 c0a80103")
	if _, err := p.Answer(answer, secret); err == nil || !strings.Contains(err.Error(), "no valid Message-Authenticator") {
		t.Errorf("the answer is read with %v", err)
	}
	if _, err := p.Answer(answer, "another"); err == nil || !strings.Contains(err.Error(), "another secret") {
		t.Errorf("with another secret the answer is read with %v", err)
	}
}

func TestABrokenAnswerIsNone(t *testing.T) {
	p := Request("ann")
	for _, data := range [][]byte{nil, make([]byte, 19), make([]byte, 20), append([]byte{2, p.ID, 0, 20}, make([]byte, 16)...), append([]byte{2, p.ID, 0xff, 0xff}, make([]byte, 16)...), append([]byte{2, p.ID + 1, 0, 20}, make([]byte, 16)...)} {
		if a, err := p.Answer(data, "secret"); err == nil {
			t.Errorf("%x is read as %+v", data, a)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte{2, 0, 0, 22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 80, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := &Packet{}
		if len(data) > 1 {
			p.ID = data[1]
		}
		if a, err := p.Answer(data, "secret"); err == nil {
			t.Errorf("%x, which nobody signed, is read as %+v", data, a)
		}
	})
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	p := Request("ann")
	p.Add(ReplyMessage, make([]byte, 254))
	if _, err := p.Encode("secret", true); err == nil {
		t.Error("an attribute of 254 bytes is sent")
	}
	p = Request("ann")
	for range 20 {
		p.Add(ReplyMessage, make([]byte, 253))
	}
	if _, err := p.Encode("secret", true); err == nil {
		t.Error("a packet of more than 4096 bytes is sent")
	}
}
