package lab

import (
	"fmt"
	"strings"
)

// pretty shortens what nobody reads: the name of a token becomes its actor and
// its number, and a token of a fresh worker three dots.
func pretty(s string) string {
	return replaceTokens(s, func(token string) string {
		actor, number, ok := parseName(token)
		if !ok {
			return "…"
		}
		return fmt.Sprintf("«%d.%d»", actor, number)
	})
}

// prettyRow shortens a row key as well: the digits by which posts are sorted, and
// hashes.
func prettyRow(row string) string {
	if row == "" {
		return `""`
	}
	parts := strings.Split(row, "!")
	for i, part := range parts {
		switch {
		case len(part) == 19 && strings.Trim(part, "0123456789") == "":
			parts[i] = "…"
		case len(part) == 64:
			parts[i] = part[:4] + "…"
		}
	}
	return pretty(strings.Join(parts, "!"))
}
