package protocol

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"microblogging/lab"
)

// An invariant, or a page, finds a fact by its word. So two kinds of fact must not have the same word, and no
// kind of fact may have the invariants of two subjects, of which one would be lost.
func TestKindsOfFact(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{string(lab.Looking): "lab.Looking"}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range regexp.MustCompile(`(\w+)\s+lab\.Kind = "(.+)"`).FindAllSubmatch(source, -1) {
			name, word := string(kind[1]), string(kind[2])
			if other := words[word]; other != "" {
				t.Errorf("%q is the word of %s and of %s", word, other, name)
			}
			words[word] = name
		}
	}
	if len(words) < 30 {
		t.Errorf("it has found %d kinds of fact", len(words))
	}
	told := map[lab.Kind]bool{}
	for _, s := range subjects() {
		for kind := range s.told {
			if told[kind] {
				t.Errorf("two subjects have an invariant about %q", kind)
			}
			told[kind] = true
			if words[string(kind)] == "" {
				t.Errorf("there is an invariant about %q, and no kind of fact", kind)
			}
		}
	}
}
