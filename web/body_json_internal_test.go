package web

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBodyJSON(t *testing.T) {
	t.Run("a lone surrogate is found everywhere in a string", loneSurrogateIsFoundEverywhereInAString)
}

// encoding/json is the reference: it decodes a lone surrogate to U+FFFD.
func loneSurrogateIsFoundEverywhereInAString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{
			`\ud83d`, `\uDBFF`, `\ude00`, `\uDC00`, `\\`, `\"`, `\n`, `\u0041`, `\uFFFC`, "a", "u", "ud83d", "é", "\U0001f600",
		})).Draw(t, "pieces")
		literal := `"` + strings.Join(pieces, "") + `"`
		var text string
		if err := json.Unmarshal([]byte(literal), &text); err != nil {
			t.Fatalf("%s: %v", literal, err)
		}
		if got, want := hasLoneSurrogate([]byte(literal)), strings.Contains(text, "\ufffd"); got != want {
			t.Errorf("%s: %t, want %t", literal, got, want)
		}
	})
}
