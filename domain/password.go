package domain

import (
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/cases"
)

// The cost of argon2id: the second of the equivalent settings in OWASP's Password
// Storage Cheat Sheet. Each running hash takes argonMemory.
const (
	argonTime    = 2
	argonMemory  = 19 << 10 // KiB
	argonThreads = 1
	argonKey     = 32
	argonSalt    = 16
)

// commonPasswords are passwords that are guessed first, one a line, in lower case. Shorter
// ones are refused for their length. common_passwords.LICENSE says where they come from.
//
//go:embed common_passwords.txt
var commonPasswords string

// CheckPassword checks a new password of a user: its length, and that it is none of those
// that are guessed first. Any characters are allowed. The error is an InvalidError on the
// given field.
func CheckPassword(field, s string, user UserName) error {
	if !utf8.ValidString(s) {
		return Invalid(field, "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(s); n < MinPassword || n > MaxPassword {
		return Invalid(field, "must have %d to %d characters", MinPassword, MaxPassword)
	}
	folded := cases.Fold().String(s)
	first, _ := utf8.DecodeRuneInString(folded)
	switch {
	case strings.Trim(folded, string(first)) == "":
		return Invalid(field, "must not be one character again and again")
	case strings.EqualFold(folded, string(user)):
		return Invalid(field, "must not be your name")
	}
	for common := range strings.Lines(commonPasswords) {
		if strings.TrimSuffix(common, "\n") == folded {
			return Invalid(field, "is one of the commonest, which are guessed first: choose another")
		}
	}
	return nil
}

// HashPassword makes the hash of a password that may be stored: argon2id with a
// random salt, in the PHC string format. It takes 19 MiB and some tens of
// milliseconds.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	rand.Read(salt) // never fails: crypto/rand ends the program instead
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemory, argonTime, argonThreads, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// PasswordMatches reports whether the hash was made from the password. The
// comparison takes constant time. The cost is read from the hash, so that old
// accounts still work after the cost is raised. A malformed hash matches nothing.
func PasswordMatches(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return false
	}
	var version, memory, time uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); err != nil {
		return false
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(key) == 0 || time == 0 || threads == 0 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1
}
