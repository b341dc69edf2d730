package markdown

import "testing"

func TestWords(t *testing.T) {
	t.Run("are what a reader reads", func(t *testing.T) {
		for text, want := range map[string]string{
			"# A *b*\n\nc **d**e\nf `g`":                       "A b c de f g",
			"- a\n- [b](https://c.example) & <d>\n\n> e":       "a b & <d> e",
			"![a](https://b.example) https://c.example/ \\*d*": "a https://c.example/ *d*",
		} {
			if got := Words(text); got != want {
				t.Errorf("%q reads %q, want %q", text, got, want)
			}
		}
	})
}
