package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestKinds(t *testing.T) {
	t.Run("each says in two lines what it is and what it is for", func(t *testing.T) {
		seen := map[string]bool{}
		for _, kind := range Kinds() {
			name := kind.Table + " " + kind.Name
			if kind.Name == "" || seen[name] {
				t.Errorf("the kind %q has no name, or one that is there twice", name)
			}
			seen[name] = true
			for _, line := range []string{kind.What, kind.Why} {
				if len(line) < 20 || len(line) > 120 || !strings.HasSuffix(line, ".") {
					t.Errorf("%s: %q is no line", name, line)
				}
			}
			if strings.Contains(kind.Form, "<hash>") != (kind.Hash != "") && kind != Session {
				t.Errorf("%s: it does not say what its hash is of", name)
			}
		}
	})
	t.Run("each that is declared is listed", eachDeclaredIsListed)
	t.Run("each property is read", eachPropertyIsRead)
	t.Run("a property is of the kinds that have it, and of no other", func(t *testing.T) {
		if none := (*Kind)(nil); none.HasProperty("Text") || Channel.HasProperty("Text") || !Blog.HasProperty("Text") {
			t.Error("the text of a post is of another kind")
		}
	})
	t.Run("a channel's row without a description is damaged", func(t *testing.T) {
		if slices.ContainsFunc(Channel.Properties, func(p Property) bool { return p.Name == "Description" && p.Optional }) {
			t.Error("it may lack its description, which each channel had from the beginning")
		}
	})
	t.Run("a property of which nothing says its type is an error as soon as a kind has it, and not a string", func(t *testing.T) {
		defer func() {
			if told := fmt.Sprint(recover()); !strings.Contains(told, "Pinned has: add it to typeOf") {
				t.Errorf("it is %s", told)
			}
		}()
		always("Pinned")
	})
	t.Run("each row that a form makes is of its kind and of no other", func(t *testing.T) {
		for _, kind := range Kinds() {
			partition, row := example(kind.Partition), example(kind.Form)
			if got := Of(kind.Table, partition, row); got != kind {
				t.Errorf("%s %s %q is of %v, want %s", kind.Table, partition, row, got, kind.Name)
			}
			whole, varying := "", []string{}
			for _, part := range kind.Parts(row) {
				whole += part.Text
				if part.Name != "" {
					varying = append(varying, part.Text)
				}
			}
			if !kind.Has(row) || whole != row || kind.Row(varying...) != row {
				t.Errorf("%q is taken apart as %q", row, varying)
			}
		}
	})
}

// example is a key of a form.
func example(form string) string {
	return strings.NewReplacer("<id>", "2516789012345678901!ABC", "<hash>", "abc", "<", "", ">", "").Replace(form)
}

// The compiler does not see that a kind is declared and not listed.
func eachDeclaredIsListed(t *testing.T) {
	source := code(t, "*.go")
	_, list, _ := strings.Cut(source, "\nvar kinds = []*Kind{\n")
	list, _, _ = strings.Cut(list, "\n}\n")
	declared := regexp.MustCompile(`(?m)^\s*(?:var )?(\w+)\s*= &Kind\{`).FindAllStringSubmatch(source, -1)
	if made := strings.Count(source, "&Kind{"); made != len(declared) {
		t.Errorf("%d kinds are made, and %d declared", made, len(declared))
	}
	for _, kind := range declared {
		if !regexp.MustCompile(`\b` + kind[1] + `,`).MatchString(list) {
			t.Errorf("the kind %s is declared and not listed", kind[1])
		}
	}
}

// code is the text of those of these files that are no tests.
func code(t *testing.T, patterns ...string) string {
	t.Helper()
	var source strings.Builder
	for _, pattern := range patterns {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			if text, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			} else if !strings.HasSuffix(name, "_test.go") {
				source.Write(text)
			}
		}
	}
	return source.String()
}

// The compiler does not see that a property is only written, as the first argument of driver.String and its like.
func eachPropertyIsRead(t *testing.T) {
	written := regexp.MustCompile(`driver\.(String|Int64|Bool|Time)\(schema\.Prop\w+`)
	reads := written.ReplaceAllString(code(t, "../*.go", "../*/*.go", "../internal/*/*.go"), "")
	for _, property := range regexp.MustCompile(`(?m)^\t(Prop\w+) +=`).FindAllStringSubmatch(code(t, "property.go"), -1) {
		if !regexp.MustCompile(`schema\.` + property[1] + `\b`).MatchString(reads) {
			t.Errorf("no code reads %s: take it out", property[1])
		}
	}
}

func TestParseRateRow(t *testing.T) {
	t.Run("a row whose rating is no number is none", func(t *testing.T) {
		if rating, id, ok := ParseRateRow(Rate.Prefix() + "x!one"); ok {
			t.Errorf("it is of post %q with rating %d", id, rating)
		}
	})
}
