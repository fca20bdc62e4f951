package proxy

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func fuzzSeed(t *testing.T) uint64 {
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
