package web

import (
	"crypto/rand"
	"net/http"
	"unicode"
	"unicode/utf8"

	"microblogging/domain"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	maxIdempotencyKey    = 255
)

// idempotencyKey returns the request's idempotency key: one key makes one post. A
// request without one gets a random key, so that the store's own retries still make
// one post.
func idempotencyKey(h http.Header) (string, error) {
	key, err := optionalIdempotencyKey(h)
	if err == nil && key == "" {
		key = rand.Text()
	}
	return key, err
}

// optionalIdempotencyKey returns the request's idempotency key, which is empty if it has
// none.
func optionalIdempotencyKey(h http.Header) (string, error) {
	switch keys := h.Values(headerIdempotencyKey); len(keys) {
	case 0:
		return "", nil
	case 1:
		return keys[0], checkIdempotencyKey(headerIdempotencyKey, keys[0])
	default:
		return "", domain.Invalid(headerIdempotencyKey, "must be sent once, not %d times", len(keys))
	}
}

// checkIdempotencyKey refuses a key unless it has 1 to 255 printable characters.
func checkIdempotencyKey(field, key string) error {
	if !utf8.ValidString(key) {
		return domain.Invalid(field, "is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(key); n < 1 || n > maxIdempotencyKey {
		return domain.Invalid(field, "must have 1 to %d characters", maxIdempotencyKey)
	}
	for _, r := range key {
		if !unicode.IsPrint(r) {
			return domain.Invalid(field, "must not hold %U, which cannot be printed", r)
		}
	}
	return nil
}
