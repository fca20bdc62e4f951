package auth

import (
	"slices"
	"strings"
	"unicode"

	"gateway/internal/fault"
)

const (
	// A shorter local part ("jo@…") would forbid too many good passwords.
	minLocalPart = 4
	// Up to this many characters repeated over and over count as one ("abcabcabcabc").
	maxPeriod = 4
)

// CheckStrength refuses a new password that is among the first an attacker tries.
// Length is left to CheckLength.
func CheckStrength(pw, email string) error {
	lower := strings.ToLower(pw)
	switch {
	case containsLocalPart(lower, email):
		return fault.New(fault.Invalid, "the password must not contain the name in the e-mail address")
	case repeats([]rune(lower)):
		return fault.New(fault.Invalid, "the password must not repeat the same few characters")
	case isSequence(lower):
		return fault.New(fault.Invalid, "the password must not be a simple sequence")
	case isWellKnown(lower):
		return fault.New(fault.Invalid, "the password is too common")
	}
	return nil
}

func containsLocalPart(lower, email string) bool {
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	return len(local) >= minLocalPart && strings.Contains(lower, local)
}

func repeats(r []rune) bool {
	for period := 1; period <= maxPeriod && period < len(r); period++ {
		if slices.Equal(r[period:], r[:len(r)-period]) {
			return true
		}
	}
	return false
}

// isSequence tells whether pw walks up or down the alphabet, the digits or a row of
// the keyboard, going round at the ends.
func isSequence(lower string) bool {
	for _, row := range [...]string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		backwards := []byte(row)
		slices.Reverse(backwards)
		if walks(lower, row) || walks(lower, string(backwards)) {
			return true
		}
	}
	return false
}

func walks(s, row string) bool {
	if s == "" {
		return false
	}
	at := strings.IndexByte(row, s[0])
	for i := 0; at >= 0 && i < len(s); i++ {
		if s[i] != row[(at+i)%len(row)] {
			return false
		}
	}
	return at >= 0
}

// isWellKnown also catches a well-known word with digits and signs hung on.
func isWellKnown(lower string) bool {
	stem := strings.TrimRightFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) })
	for word := range strings.FieldsSeq(wellKnown) {
		if lower == word || stem == word {
			return true
		}
	}
	return false
}

// wellKnown is short on purpose: it stands for the head of the usual lists, cut to what
// passes the length rule by itself or with a tail like "1234!".
const wellKnown = `
access administrator admin adminadmin adminpassword appliance
baseball changeme changemenow changeit charlie cisco computer
correcthorsebatterystaple debian default defaultpassword dragon
edgegateway firewall football fortinet freedom gateway gatewayadmin
hello iloveyou internet juniper letmein letmeinletmein linux localhost
master michael mikrotik monkey mypassword network operator opnsense
passw0rd password passwort passwordpassword pfsense p@ssw0rd p@ssword
princess qazwsxedcrfv qwerty qwertyuiopasdf qwertzuiop qwertzuiopasdf
root rootpassword router secret secretpassword security server
shadow starwars sunshine superman superuser supersecret sysadmin
test testpassword testtesttest thisisapassword trustno1 ubiquiti
welcome whatever 1q2w3e4r5t6y 1qaz2wsx3edc q1w2e3r4t5y6 1qaz2wsx3edc4rfv
`
