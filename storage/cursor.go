package storage

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

func encodeCursor(list, position string) string {
	sum := cursorSum(list, position)
	return base64.RawURLEncoding.EncodeToString(append(sum[:cursorChecksum], position...))
}

// decodeCursor returns the position. A cursor that encodeCursor does not write for
// this list is an InvalidError on the field "after". The comparison with
// encodeCursor is needed because the base64 decoder skips line breaks. The position
// may be forged and becomes part of a query, so that it must be a valid key.
func decodeCursor(list, cursor string) (position string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(raw) > cursorChecksum {
		position = string(raw[cursorChecksum:])
		if cursor == encodeCursor(list, position) && driver.CheckKey("position", position) == nil {
			return position, nil
		}
	}
	return "", domain.Invalid("after", "is not a continuation of this list")
}

// loosePosition returns the position of a cursor, or "" if the cursor is empty, without
// checking which list it is of. It is for reading before the list is known: decodeCursor
// must follow. A malformed cursor is an InvalidError on the field "after".
func loosePosition(cursor string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	switch {
	case cursor == "":
		return "", nil
	case err != nil, len(raw) <= cursorChecksum, driver.CheckKey("position", string(raw[cursorChecksum:])) != nil:
		return "", domain.Invalid("after", "is not a continuation of this list")
	}
	return string(raw[cursorChecksum:]), nil
}

func cursorSum(list, position string) [sha256.Size]byte {
	return sha256.Sum256([]byte(list + "\x00" + position))
}
