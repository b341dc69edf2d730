package templates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// That generated code is not stale, make code finds out.
func TestGeneratedCode(t *testing.T) {
	for _, folder := range []string{"../templates", "../lab/page"} {
		generated, err := filepath.Glob(folder + "/*_templ.go")
		if err != nil || len(generated) == 0 {
			t.Fatalf("%s has none: %v", folder, err)
		}
		for _, name := range generated {
			if _, err := os.Stat(strings.TrimSuffix(name, "_templ.go") + ".templ"); err != nil {
				t.Errorf("the template of %s is gone", name)
			}
		}
	}
}
