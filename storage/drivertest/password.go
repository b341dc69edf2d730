package drivertest

import (
	"encoding/base64"

	"golang.org/x/crypto/argon2"
)

// CheapHash returns a hash of a password that takes little time to make and to check. A hash
// holds its own cost.
func CheapHash(password string) string {
	salt, b64 := []byte("some salt"), base64.RawStdEncoding.EncodeToString
	return "$argon2id$v=19$m=8,t=1,p=1$" + b64(salt) + "$" + b64(argon2.IDKey([]byte(password), salt, 1, 8, 1, 32))
}
