// Command mutate writes changed copies of Go files into a folder, with an overlay.json for the go command, and
// prints the number, folder and name of each change. .ci/mutate gives it the changes, as gremlins lists them:
//
//	negation storage/deletion/ask.go:41:9
//
// A change inverts what it is about if MUTANT has its number: a < b becomes (a < b) != (mutant("7") && a == b), and
// a && b becomes ((a != mutant("8")) && (b != mutant("8"))) != mutant("8"). No line moves.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
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
`

func main() {
	dir := os.Args[1]
	listed, err := io.ReadAll(os.Stdin)
	must(err)
	s := switches{kinds: map[string][]string{}}
	overlay := map[string]string{}
	add := func(path, text string) {
		overlay[path] = filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		must(os.WriteFile(overlay[path], []byte(text), 0o600))
	}
	var paths []string
	for line := range strings.Lines(string(listed)) {
		kind, place, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.kinds[place] = append(s.kinds[place], kind)
		path, _, _ := strings.Cut(place, ":")
		paths = append(paths, path)
	}
	for _, path := range slices.Compact(paths) {
		text, pkg := s.in(path)
		add(path, text)
		add(filepath.Join(filepath.Dir(path), "mutant.go"), fmt.Sprintf(mutant, pkg))
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	must(err)
	must(os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type switches struct {
	kinds map[string][]string // of the changes at file:line:column
	count int
}

// in is the text of a file with its changes, and its package.
func (s *switches) in(path string) (text, pkg string) {
	source, err := os.ReadFile(path)
	must(err)
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	must(err)
	at := func(p token.Pos) int { return set.Position(p).Offset }
	added := map[int]string{}
	invert := func(e ast.Expr, by string) {
		added[at(e.Pos())] += "(("
		added[at(e.End())] = ") != " + by + ")" + added[at(e.End())] // what is inside comes later, and ends first
	}
	function, names := "", map[string]int{}
	ast.Inspect(file, func(node ast.Node) bool {
		if f, ok := node.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		e, ok := node.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		for _, kind := range s.kinds[set.Position(e.OpPos).String()] {
			s.count++
			by := fmt.Sprintf("mutant(\"%d\")", s.count)
			if kind == "boundary" {
				by = fmt.Sprintf("(%s && %s == %s)", by, source[at(e.X.Pos()):at(e.X.End())], source[at(e.Y.Pos()):at(e.Y.End())])
			}
			invert(e, by)
			if kind == "logical" {
				invert(e.X, by)
				invert(e.Y, by)
			}
			from, to := at(e.OpPos), at(e.OpPos)+len(e.Op.String())
			start, end := bytes.LastIndexByte(source[:from], '\n')+1, to+bytes.IndexByte(source[to:], '\n')
			name := fmt.Sprintf("`%s %s: %s [%s]%s` %s", path, function, bytes.TrimSpace(source[start:from]), e.Op, source[to:end], kind)
			if names[name]++; names[name] > 1 {
				name += fmt.Sprint(" ", names[name])
			}
			fmt.Printf("%d\t%s\t%s\n", s.count, filepath.Dir(path), name)
		}
		return true
	})
	var out bytes.Buffer
	for i, b := range source {
		out.WriteString(added[i])
		out.WriteByte(b)
	}
	return out.String(), file.Name.Name
}
