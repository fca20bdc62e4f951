package journaltest

import "math/bits"

// sipHash is SipHash-2-4, by which journald finds the values in a file.
func sipHash(key [16]byte, text string) uint64 {
	k0, k1 := le.Uint64(key[:]), le.Uint64(key[8:])
	v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
	whole := len(text) &^ 7
	for i := 0; i < whole; i += 8 {
		sipWord(&v, le.Uint64([]byte(text[i:i+8])))
	}
	var rest [8]byte
	copy(rest[:], text[whole:])
	rest[7] = byte(len(text))
	sipWord(&v, le.Uint64(rest[:]))
	v[2] ^= 0xff
	for range 4 {
		sipRound(&v)
	}
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}

func sipWord(v *[4]uint64, m uint64) {
	v[3] ^= m
	sipRound(v)
	sipRound(v)
	v[0] ^= m
}

func sipRound(v *[4]uint64) {
	v[0] += v[1]
	v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
	v[0] = bits.RotateLeft64(v[0], 32)
	v[2] += v[3]
	v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
	v[0] += v[3]
	v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
	v[2] += v[1]
	v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
	v[2] = bits.RotateLeft64(v[2], 32)
}
