package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/drivertest"
)

// TestDocuments holds what the documents name against what there is.
func TestDocuments(t *testing.T) {
	tree := readTree(t)
	t.Run("a link leads to a file and a heading that exist", tree.each(missingLinks))
	t.Run("a file that is named exists", tree.each(missingFiles))
	t.Run("a test or benchmark that is named exists", tree.each(missingTests))
	t.Run("a command and a flag that is named exists", tree.each(missingFlags))
	t.Run("the check of a fresh sample prints what the README says", drivertest.Long(checkOfSampleIsDocumented))
}

// each runs a check on each document. The check returns what is wrong.
func (s sourceTree) each(check func(sourceTree, document) []string) func(*testing.T) {
	return func(t *testing.T) {
		for _, d := range s.documents {
			for _, problem := range check(s, d) {
				t.Errorf("%s: %s", d.name, problem)
			}
		}
	}
}

var (
	linkTarget    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fileName      = regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]+)*\\.(?:go|mjs|js|css|templ|ya?ml|json|md|service|lua))`")
	testName      = regexp.MustCompile(`\b((?:Test|Benchmark|Fuzz)[A-Z]\w*)(/[\w-]+)?`)
	benchmarkName = regexp.MustCompile(`-bench '?([A-Z]\w*)`)
	// measuredBy is how performance.md names a benchmark: without its prefix.
	measuredBy  = regexp.MustCompile("\\(`([A-Z]\\w*)`")
	commandName = regexp.MustCompile("`?microblogging ([a-z]+)")
	flagName    = regexp.MustCompile(`--([a-z][a-z-]+)`)
)

func missingLinks(s sourceTree, d document) (problems []string) {
	for _, match := range linkTarget.FindAllStringSubmatch(d.text, -1) {
		target, anchor, _ := strings.Cut(match[1], "#")
		if strings.Contains(target, "://") {
			continue
		}
		file := filepath.Join(filepath.Dir(d.name), target)
		if target == "" {
			file = d.name
		}
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			problems = append(problems, "no file for the link "+match[1])
		} else if anchor != "" && !slices.Contains(s.anchors(file), anchor) {
			problems = append(problems, "no heading for the link "+match[1])
		}
	}
	return problems
}

func missingFiles(s sourceTree, d document) (problems []string) {
	for _, match := range fileName.FindAllStringSubmatch(d.text, -1) {
		name := match[1]
		found := slices.ContainsFunc(s.files, func(file string) bool {
			return file == name || strings.HasSuffix(file, "/"+name)
		})
		if !found && name != "helpers.go" { // CONTRIBUTING.md says that there is none
			problems = append(problems, "no file "+name)
		}
	}
	return problems
}

func missingTests(s sourceTree, d document) (problems []string) {
	for _, match := range testName.FindAllStringSubmatch(d.text, -1) {
		sentence := strings.ReplaceAll(strings.TrimPrefix(match[2], "/"), "_", " ")
		switch {
		case !slices.Contains(s.tests, match[1]):
			problems = append(problems, "no test "+match[1])
		case !strings.Contains(s.testText, sentence):
			problems = append(problems, "no subtest "+match[0])
		}
	}
	benchmarks := benchmarkName.FindAllStringSubmatch(d.text, -1)
	if filepath.Base(d.name) == "performance.md" {
		benchmarks = append(benchmarks, measuredBy.FindAllStringSubmatch(d.text, -1)...)
	}
	for _, match := range benchmarks {
		if name := match[1]; !strings.HasPrefix(name, "Test") && !slices.Contains(s.tests, "Benchmark"+name) {
			problems = append(problems, "no benchmark "+name)
		}
	}
	return problems
}

// foreignFlags belong to other programs.
var foreignFlags = strings.Fields("again build faults follow for location profile rm silent")

func missingFlags(s sourceTree, d document) (problems []string) {
	for _, match := range commandName.FindAllStringSubmatch(d.code(), -1) {
		if !slices.Contains(s.commands, match[1]) {
			problems = append(problems, "no command "+match[1])
		}
	}
	for _, match := range flagName.FindAllStringSubmatch(d.code(), -1) {
		if name := match[1]; !slices.Contains(s.flags, name) && !slices.Contains(foreignFlags, name) {
			problems = append(problems, "no flag --"+name)
		}
	}
	return problems
}

// The sample has as many rows in each store that it fills.
func checkOfSampleIsDocumented(t *testing.T) {
	data := t.TempDir()
	r, _ := serving(t, "--sample", "--data", data)
	r.await(t, `(sign in as)`)
	r.end(t)
	code, printed, _ := program(t, "check", "--data", data)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	ok(t, err)
	if code != exitOK || !strings.Contains(string(readme), "\n"+printed) {
		t.Errorf("exits with %d and prints %q, which README.md does not have", code, printed)
	}
}
