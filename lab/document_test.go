package lab_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"microblogging/lab/modelcheck"
)

func TestDocument(t *testing.T) {
	t.Run("the pictures are of the schedules that are known", picturesAreCurrent)
	t.Run("a link to the lab leads to a scenario that exists", linksLeadToScenarios)
}

// eachDocument calls f with each document that may lead to the lab.
func eachDocument(t *testing.T, f func(name, text string)) {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	ok(t, err)
	for _, name := range append(names, "../README.md", "../ARCHITECTURE.md") {
		text, err := os.ReadFile(name)
		ok(t, err)
		f(name, string(text))
	}
}

func picturesAreCurrent(t *testing.T) {
	eachDocument(t, func(name, text string) {
		want, err := modelcheck.Document(text)
		ok(t, err)
		current := strings.Split(want, "\n")
		for i, line := range strings.Split(text, "\n") {
			if i >= len(current) || line != current[i] {
				t.Fatalf("%s:%d has\n%s\nmake generate writes it anew", name, i+1, line)
			}
		}
	})
}

func linksLeadToScenarios(t *testing.T) {
	link, found := regexp.MustCompile(`http://127\.0\.0\.1:8080/lab/([\w-]+)`), 0
	eachDocument(t, func(name, text string) {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			found++
			if _, err := modelcheck.Find(match[1]); err != nil {
				t.Errorf("%s: %s: %v", name, match[0], err)
			}
		}
	})
	if found < 10 {
		t.Errorf("the documents have %d links to the lab", found)
	}
}
