package templates

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// keysFile is the only code that builds keys, and says in its comments of which forms
// they are.
const keysFile = "../storage/keys.go"

func TestRowKindForms(t *testing.T) {
	source, err := os.ReadFile(keysFile)
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`<[^>]*>`)
	explained := map[string]bool{}
	for _, kind := range RowKinds() {
		explained[variable.ReplaceAllString(kind.Row, "<>")] = true
	}
	t.Run("each prefix of a key is explained", func(t *testing.T) {
		prefixes := regexp.MustCompile(`prefix\w+ += (?:prefixGate \+ )?"(\w+!)"`).FindAllStringSubmatch(string(source), -1)
		if len(prefixes) < 15 {
			t.Fatalf("found %d prefixes in %s", len(prefixes), keysFile)
		}
		for _, prefix := range prefixes {
			found := false
			for form := range explained {
				found = found || strings.HasPrefix(form, prefix[1]) || strings.HasPrefix(form, "gate!"+prefix[1])
			}
			if !found {
				t.Errorf("no kind of row begins with %s", prefix[1])
			}
		}
	})
	t.Run("each form of a key is explained", func(t *testing.T) {
		forms := regexp.MustCompile(`(?m)^//\t.*?(\w+!(?:\w+!)*<.*>)  `).FindAllStringSubmatch(string(source), -1)
		if len(forms) < 15 {
			t.Fatalf("found %d forms in %s", len(forms), keysFile)
		}
		for _, form := range forms {
			columns := strings.Fields(variable.ReplaceAllString(form[1], "<>"))
			if row := columns[len(columns)-1]; !explained[row] {
				t.Errorf("no kind of row has the form %s", form[1])
			}
		}
	})
}
