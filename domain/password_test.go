package domain_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"microblogging/domain"
)

func TestPassword(t *testing.T) {
	t.Run("matches only its own hash", passwordMatchesItsHashAlone)
	t.Run("matches a hash of another cost", hashOfAnotherCostMatches)
	t.Run("matches no malformed hash", hashThatCannotBeReadMatchesNothing)
	t.Run("is long, and not one that is guessed first", passwordsAreLongAndNotGuessedFirst)
}

func passwordMatchesItsHashAlone(t *testing.T) {
	hash := domain.HashPassword("correct horse")
	if !domain.PasswordMatches(hash, "correct horse") {
		t.Error("the password does not match its own hash")
	}
	for _, other := range []string{"", "correct horsf", "Correct horse", "correct horse ", "correct horse\x00"} {
		if domain.PasswordMatches(hash, other) {
			t.Errorf("%q matches", other)
		}
	}
	if again := domain.HashPassword("correct horse"); again == hash {
		t.Error("two hashes have the same salt")
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
}

// The hash contains its cost, so old accounts still work after the cost changes.
func hashOfAnotherCostMatches(t *testing.T) {
	salt := []byte("some salt")
	key := argon2.IDKey([]byte("correct horse"), salt, 1, 64, 2, 24)
	b64 := base64.RawStdEncoding
	hash := "$argon2id$v=19$m=64,t=1,p=2$" + b64.EncodeToString(salt) + "$" + b64.EncodeToString(key)
	if !domain.PasswordMatches(hash, "correct horse") || domain.PasswordMatches(hash, "correct horsf") {
		t.Errorf("%s does not match its password alone", hash)
	}
}

func hashThatCannotBeReadMatchesNothing(t *testing.T) {
	parts := strings.Split(domain.HashPassword("correct horse"), "$")
	for i := range parts {
		for _, spoilt := range []string{"", "x", "m=,t=,p=", "v=18", "m=8,t=0,p=1", "m=8,t=1,p=0", "m=8,t=1,p=256", "m=-1,t=1,p=1", "é"} {
			hash := slices.Clone(parts)
			hash[i] = spoilt
			if spoilt != parts[i] && domain.PasswordMatches(strings.Join(hash, "$"), "correct horse") {
				t.Errorf("part %d spoilt to %q matches", i, spoilt)
			}
		}
	}
	for _, hash := range []string{"", "$", "$$$$$", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$", strings.Join(parts, "$") + "$"} {
		if domain.PasswordMatches(hash, "correct horse") || domain.PasswordMatches(hash, "") {
			t.Errorf("%q matches", hash)
		}
	}
}

func passwordsAreLongAndNotGuessedFirst(t *testing.T) {
	word := strings.Repeat("xyz", 100)
	for s, good := range map[string]bool{
		word[:9]: false, word[:10]: true, word[:256]: true, word[:257]: false,
		strings.Repeat("é", 8) + "a": false, strings.Repeat("é", 9) + "a": true, strings.Repeat("😀", 255) + "a": true,
		"         x": true, "\x00\x01\n\t\r234567": true, "\xff123456789": false, "": false,
		"1234567890": false, "qwertyuiop": false, "Password123": false, "BASKETBALL": false, "0987654321": false, "abcdefghij": false,
		"xxxxxxxxxx": false, "éééééééééé": false, "xXxXxXxXxX": false, "          ": false, "xxxxxxxxxy": true,
		"grace_hopper": false, "Grace_Hopper": false, "grace_hopper1": true,
		"correct horse": true, "qwertyuiop 1": true, "wertyuiop\n1234567": true,
		"qwertyuiop\n1234567890": true, "# https://example.org": true,
	} {
		err := domain.CheckPassword("new", s, "grace_hopper")
		var invalid *domain.InvalidError
		if good != (err == nil) || err != nil && (!errors.As(err, &invalid) || invalid.Fields[0].Field != "new") {
			t.Errorf("%.20q: %v", s, err)
		}
	}
}
