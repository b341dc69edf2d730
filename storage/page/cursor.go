package page

import (
	"crypto/sha256"
	"encoding/base64"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A cursor is the continuation of a list that a user holds. It has two parts:
//
//   - The position of the last item that the user saw, or of a row behind it that is not
//     on the list. So it stays exact while rows come and go.
//   - A checksum over the list and the position. So a cursor of another list is
//     refused. The checksum is no secret: a user who forges a cursor only chooses
//     where to start in a list that they may read.

// cursorChecksum is the length of the checksum in bytes.
const cursorChecksum = 8

func Encode(list, position string) string {
	sum := cursorSum(list, position)
	return base64.RawURLEncoding.EncodeToString(append(sum[:cursorChecksum], position...))
}

// Decode returns the position. A cursor that Encode does not write for
// this list is an InvalidError on the field "after". The comparison with
// Encode is needed because the base64 decoder skips line breaks. The position
// may be forged and becomes part of a query, so that it must be a valid key.
func Decode(list, cursor string) (position string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(raw) > cursorChecksum {
		position = string(raw[cursorChecksum:])
		if cursor == Encode(list, position) && driver.CheckKey("position", position) == nil {
			return position, nil
		}
	}
	return "", domain.Invalid("after", "is not a continuation of this list")
}

func cursorSum(list, position string) [sha256.Size]byte {
	return sha256.Sum256([]byte(list + "\x00" + position))
}
