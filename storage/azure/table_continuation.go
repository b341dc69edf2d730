package azure

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"microblogging/domain"
)

// A position is where the service would read on, as its continuation headers say
// it. Either half may be empty, which is how an empty row key appears.
type position struct{ partition, row string }

// continuationSum is how many bytes of checksum a continuation starts with. It
// is no secret, for whoever forges one can only choose where to start reading
// within a selection. It tells a continuation that was made up, or that belongs
// to another selection, before the service reads some meaning into it.
const continuationSum = 8

// encodeContinuation is empty after the last page.
func encodeContinuation(selection string, p position) string {
	if p == (position{}) {
		return ""
	}
	raw := p.partition + "\x00" + p.row
	return base64.RawURLEncoding.EncodeToString([]byte(checksum(selection, raw) + raw))
}

func decodeContinuation(selection, continuation string) (position, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(continuation)
	if err == nil && len(decoded) > continuationSum {
		raw := string(decoded[continuationSum:])
		partition, row, ok := strings.Cut(raw, "\x00")
		if ok && checksum(selection, raw) == string(decoded[:continuationSum]) {
			return position{partition, row}, nil
		}
	}
	return position{}, domain.Invalid("continuation", "does not belong to this selection of rows")
}

func checksum(selection, raw string) string {
	sum := sha256.Sum256([]byte(selection + "\x00" + raw))
	return string(sum[:continuationSum])
}
