package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/alecthomas/kong"
)

// root is the module's folder.
const root = "../.."

// A document is a file of Markdown. Its name is a path in the module.
type document struct{ name, text string }

var codeOf = regexp.MustCompile("(?s)```.*?```|`[^`]+`")

// code returns what is written as code, and nothing else.
func (d document) code() string { return strings.Join(codeOf.FindAllString(d.text, -1), "\n") }

// A sourceTree is what the documents can name.
type sourceTree struct {
	documents []document
	// files are paths in the module. tests are the functions that go test runs, and testText
	// is all the text that is around them.
	files, tests    []string
	testText        string
	commands, flags []string
}

var (
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	namedAnchor  = regexp.MustCompile(`<a id="([^"]+)">`)
)

func readTree(t *testing.T) sourceTree {
	t.Helper()
	var s sourceTree
	var tests strings.Builder
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
		switch {
		case entry.IsDir() && (name == "node_modules" || name == ".git" || name == "dist"):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		s.files = append(s.files, name)
		if !strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		switch filepath.Ext(name) {
		case ".md":
			s.documents = append(s.documents, document{name, string(text)})
		case ".go":
			tests.Write(text)
			s.tests = append(s.tests, firstGroups(testFunction, string(text))...)
		}
		return err
	})
	if err != nil || len(s.documents) == 0 || len(s.tests) == 0 {
		t.Fatalf("%d documents, %d tests (%v)", len(s.documents), len(s.tests), err)
	}
	s.testText = tests.String()
	s.commands, s.flags = commandLine(t)
	return s
}

// commandLine returns the names of all commands and of all their flags.
func commandLine(t *testing.T) (names, flags []string) {
	t.Helper()
	parser, err := kong.New(&commands{})
	ok(t, err)
	flags = []string{"help", "version"}
	for _, command := range parser.Model.Leaves(false) {
		word, _, _ := strings.Cut(command.Path(), " ") // of "user reset", what a document has first
		names = append(names, word)
		for _, flag := range command.Flags {
			flags = append(append(flags, flag.Name), flag.Aliases...)
		}
	}
	return names, flags
}

// anchors returns what a link to the document may have after its #, as GitHub makes it of
// a heading.
func (s sourceTree) anchors(name string) (all []string) {
	for _, d := range s.documents {
		if d.name != name {
			continue
		}
		all = firstGroups(namedAnchor, d.text)
		for _, title := range firstGroups(heading, d.text) {
			all = append(all, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, title))
		}
	}
	return all
}

// firstGroups returns the first group of each match.
func firstGroups(pattern *regexp.Regexp, text string) (groups []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		groups = append(groups, match[1])
	}
	return groups
}
