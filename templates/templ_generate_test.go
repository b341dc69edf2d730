package templates

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
)

func TestGeneratedCode(t *testing.T) {
	for _, folder := range []string{"templates", "lab/page"} {
		t.Run("of "+folder+" is not stale", func(t *testing.T) { generatedCodeIsNotStale(t, "../"+folder) })
		t.Run("of a deleted template of "+folder+" is gone", func(t *testing.T) { noGeneratedCodeIsLeftOfADeletedTemplate(t, "../"+folder) })
	}
}

// generatedCodeIsNotStale runs the generator in this process, at the
// version in go.mod, so that it needs neither the network nor a second module.
func generatedCodeIsNotStale(t *testing.T, folder string) {
	sources, err := filepath.Glob(folder + "/*.templ")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, source := range sources {
		committed, err := os.ReadFile(generatedName(source))
		if err != nil {
			t.Errorf("%s: %v; run make generate", source, err)
			continue
		}
		if !bytes.Equal(committed, generate(t, source)) {
			t.Errorf("%s is stale; run make generate", generatedName(source))
		}
	}
}

func noGeneratedCodeIsLeftOfADeletedTemplate(t *testing.T, folder string) {
	generated, err := filepath.Glob(folder + "/*_templ.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range generated {
		source := strings.TrimSuffix(name, "_templ.go") + ".templ"
		if _, err := os.Stat(source); err != nil {
			t.Errorf("%s has no %s", name, source)
		}
	}
}

func generatedName(source string) string {
	return strings.TrimSuffix(source, ".templ") + "_templ.go"
}

// generate does what "templ generate" does for one file.
func generate(t *testing.T, source string) []byte {
	t.Helper()
	parsed, err := parser.Parse(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	var code bytes.Buffer
	_, err = generator.Generate(parsed, &code, generator.WithVersion(templ.Version()), generator.WithFileName(filepath.Base(source)))
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	formatted, err := format.Source(code.Bytes())
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return formatted
}
