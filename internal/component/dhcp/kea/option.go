package kea

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// Option is a DHCP option beyond those with a field of their own, as bytes.
type Option struct {
	Code int
	Data []byte
	text string // as it is stored
}

// taken are the options that have a field of their own.
var taken = map[int]string{1: "subnet", 3: "gateway", 6: "dns_servers", 15: "domain", 42: "ntp_servers", 51: "lease_time"}

// protocol are the numbers that Kea needs itself.
var protocol = []int{12, 50, 52, 53, 54, 55, 56, 57, 58, 59, 61, 81, 82, 90, 118}

// maxOption is what an option has room for.
const maxOption = 255

// ParseOption reads "66 text boot.example.com": number, type, value. Only its bytes get into the
// file, in hexadecimal: nothing that anybody typed does.
func ParseOption(text string) (Option, error) {
	words := strings.SplitN(strings.TrimSpace(text), " ", 3)
	if len(words) != 3 {
		return Option{}, fault.Say("must be: number type value, for example 66 text boot.example.com")
	}
	code, err := strconv.Atoi(words[0])
	switch {
	case err != nil || code < 1 || code > 254:
		return Option{}, fault.Say("must begin with the number of an option, from 1 to 254")
	case taken[code] != "":
		return Option{}, fault.Say("must not set option %d, which is the field %s", code, taken[code])
	case slices.Contains(protocol, code):
		return Option{}, fault.Say("must not set option %d, which belongs to the protocol", code)
	}
	rest := strings.TrimSpace(words[2])
	data, err := encode(words[1], rest)
	if err == nil && (len(data) == 0 || len(data) > maxOption) {
		err = fault.Say("must have a value of 1 to %d bytes", maxOption)
	}
	return Option{code, data, fmt.Sprintf("%d %s %s", code, words[1], rest)}, err
}

func encode(kind, text string) ([]byte, error) {
	switch kind {
	case "text":
		return []byte(text), value.Line(text)
	case "addresses":
		return addresses(strings.Split(text, ","))
	case "number8", "number16", "number32":
		bits, _ := strconv.Atoi(strings.TrimPrefix(kind, "number"))
		n, err := strconv.ParseUint(text, 10, bits)
		if err != nil {
			return nil, fault.Say("must have a number of at most %d bits", bits)
		}
		return binary.BigEndian.AppendUint32(nil, uint32(n))[4-bits/8:], nil
	case "hex":
		data, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(strings.TrimPrefix(text, "0x")))
		if err != nil {
			return nil, fault.Say("must have bytes in hexadecimal")
		}
		return data, nil
	}
	return nil, fault.Say("must have the type text, addresses, number8, number16, number32 or hex")
}

func addresses(list []string) (out []byte, err error) {
	for _, text := range list {
		a, err := hostIn(netip.Prefix{}, strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		out = append(out, a.AsSlice()...)
	}
	return out, nil
}
