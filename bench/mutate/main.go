// Command mutate writes changed copies of Go files into a folder, with an overlay.json for the go command, and
// prints the number, folder, operator and name of each change. .ci/mutate names the operators and the folders, and
// gives it the changes that gremlins lists:
//
//	negation storage/deletion/ask.go:41:9
//
// Such a change inverts what it is about if MUTANT has its number: a < b becomes (a < b) != (mutant("7") && a == b),
// and a && b becomes ((a != mutant("8")) && (b != mutant("8"))) != mutant("8"). protocol.go and order.go have the
// operators of the protocol. No line moves.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is added to each package. Without a change, it says which are reached.
const mutant = `package %s

import (
	"fmt"
	"os"
	"sync"
)

var (
	mutantNumber  = os.Getenv("MUTANT")
	mutantReached sync.Map
)

func mutant(number string) bool {
	if mutantNumber == "" {
		if _, again := mutantReached.LoadOrStore(number, true); !again {
			fmt.Fprintln(os.Stderr, "reached", number)
		}
	}
	return number == mutantNumber
}

func mutantOr[T any](number string, is, then T) T {
	if mutant(number) {
		return then
	}
	return is
}

func mutantAnswer(err error) error { return err }
`

func main() {
	dir, operators := os.Args[1], strings.Fields(os.Args[2])
	listed, err := io.ReadAll(os.Stdin)
	must(err)
	s := switches{kinds: map[string][]string{}, operators: operators}
	folders := map[string]bool{}
	for line := range strings.Lines(string(listed)) {
		kind, place, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.kinds[place] = append(s.kinds[place], kind)
		path, _, _ := strings.Cut(place, ":")
		folders[filepath.Dir(path)] = true
	}
	for _, folder := range os.Args[3:] {
		folders[folder] = true
	}
	out := overlay{dir: dir, replace: map[string]string{}}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		protocol := slices.Contains(os.Args[3:], folder)
		files := readFolder(folder, protocol && slices.Contains(operators, "order"))
		for _, path := range slices.Sorted(maps.Keys(files)) {
			f, before := files[path], s.count
			if s.change(f, protocol); s.count > before {
				out.add(path, f.changed())
				out.add(filepath.Join(folder, "mutant.go"), fmt.Sprintf(mutant, f.syntax.Name.Name))
			}
		}
	}
	out.freeTransactions()
	text, err := json.Marshal(map[string]any{"Replace": out.replace})
	must(err)
	must(os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// An overlay is the files that replace others in a build.
type overlay struct {
	dir     string
	replace map[string]string
}

func (o overlay) add(path, text string) {
	o.replace[path] = filepath.Join(o.dir, strings.ReplaceAll(path, "/", "-"))
	must(os.WriteFile(o.replace[path], []byte(text), 0o600))
}

// text is a file as it is by now.
func (o overlay) text(path string) string {
	if changed, ok := o.replace[path]; ok {
		path = changed
	}
	text, err := os.ReadFile(path)
	must(err)
	return string(text)
}

type switches struct {
	kinds     map[string][]string // of the changes that gremlins lists, at file:line:column
	operators []string            // of the protocol
	count     int
}

// change makes the changes of a file: those of the protocol only if it is asked for.
func (s *switches) change(f *file, protocol bool) {
	names := map[string]int{}
	change := func(operator, kind string, at ast.Node) string {
		s.count++
		name := strings.TrimSpace(fmt.Sprintf("`%s %s` %s", f.path, f.quote(at), kind))
		if names[name]++; names[name] > 1 {
			name += fmt.Sprint(" ", names[name])
		}
		fmt.Printf("%d\t%s\t%s\t%s\n", s.count, f.folder(), operator, name)
		return fmt.Sprintf("%q", fmt.Sprint(s.count))
	}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		e, ok := node.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		for _, kind := range s.kinds[f.set.Position(e.OpPos).String()] {
			by := "mutant(" + change("comparison", kind, operator{e}) + ")"
			if kind == "boundary" {
				by = fmt.Sprintf("(%s && %s == %s)", by, f.text(e.X), f.text(e.Y))
			}
			invert(f, e, by)
			if kind == "logical" {
				invert(f, e.X, by)
				invert(f, e.Y, by)
			}
		}
		return true
	})
	if !protocol {
		return
	}
	for _, name := range s.operators {
		switch name {
		case "match":
			matches(f, change)
		case "condition":
			conditions(f, change)
		case "reread":
			rereads(f, change)
		case "order":
			orders(f, change)
		}
	}
}

func invert(f *file, e ast.Expr, by string) { f.wrap(e, "((", ") != "+by+")") }
