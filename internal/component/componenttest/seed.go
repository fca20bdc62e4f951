package componenttest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// FuzzSeed is another one in every run; GATEWAY_FUZZ_SEED brings an old one back.
func FuzzSeed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv("GATEWAY_FUZZ_SEED")
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}
