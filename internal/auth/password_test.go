package auth

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gateway/internal/fault"
)

func TestCheckLengthCountsBytes(t *testing.T) {
	for _, tc := range []struct {
		name, pw string
		ok       bool
	}{
		{"empty is refused", "", false},
		{"11 bytes are refused", strings.Repeat("a", 11), false},
		{"12 bytes are taken", strings.Repeat("a", 12), true},
		{"72 bytes are taken", strings.Repeat("a", 72), true},
		{"73 bytes are refused", strings.Repeat("a", 73), false},
		{"37 umlauts are 74 bytes and refused", strings.Repeat("ä", 37), false},
		{"6 umlauts are 12 bytes and taken", strings.Repeat("ä", 6), true},
		{"a NUL, where bcrypt starts over, is refused", "abcdefghijkl\x00abcdefghijkl", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := CheckLength(tc.pw)
			if (err == nil) != tc.ok {
				t.Fatalf("error = %v, want ok %v", err, tc.ok)
			}
			if err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("error = %v, want an Invalid fault", err)
			}
		})
	}
}

func TestCheckStrengthRefusesTheFirstGuesses(t *testing.T) {
	for _, tc := range []struct {
		name, pw, email string
		ok              bool
	}{
		{"the name of the e-mail address", "jane.doe-2024", "Jane.Doe@example.com", false},
		{"the name in capitals", "xxJANE.DOEyy", "jane.doe@example.com", false},
		{"a name of two letters does not count", "johannes-kraut", "jo@example.com", true},
		{"no e-mail address", "blue-otter-42-rain", "", true},
		{"one character", "aaaaaaaaaaaa", "x@y", false},
		{"one umlaut", "ääääääää", "x@y", false},
		{"three characters over and over", "abcabcabcabca", "x@y", false},
		{"digits upwards", "123456789012", "x@y", false},
		{"digits downwards", "987654321098", "x@y", false},
		{"letters upwards", "abcdefghijkl", "x@y", false},
		{"letters downwards in capitals", "ZYXWVUTSRQPON", "x@y", false},
		{"a row of the keyboard", "qwertyuiopqwerty", "x@y", false},
		{"a well-known password", "administrator", "x@y", false},
		{"a well-known password with digits", "password1234", "x@y", false},
		{"a well-known password with signs and capitals", "PassWord2024!!", "x@y", false},
		{"a well-known keyboard walk", "1qaz2wsx3edc", "x@y", false},
		{"a well-known word inside a phrase", "my password is long", "x@y", true},
		{"a random one", "v7#Kq-pfz0Lm", "x@y", true},
		{"a sequence with an end of its own", "abcdefghijk!", "x@y", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := CheckStrength(tc.pw, tc.email)
			if (err == nil) != tc.ok {
				t.Fatalf("error = %v, want ok %v", err, tc.ok)
			}
			if err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("error = %v, want an Invalid fault", err)
			}
			if err != nil && strings.Contains(err.Error(), tc.pw) {
				t.Errorf("error %q tells the password", err)
			}
		})
	}
}

func TestRandomPasswordsAreStrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The classes differ five places apart, so no draw is one of the refused patterns.
		pw := rapid.StringMatching(`[a-f]{3}[0-9]{3}[g-z]{3}[A-F]{2}[#!=]{2}[0-9][x-z][4-9]`).Draw(t, "pw")
		if err := CheckStrength(pw, "someone@example.com"); err != nil {
			t.Fatalf("%q: %v", pw, err)
		}
	})
}
