package own

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// chance is an error if code of a file is not the same each time it is run: by the clock, by random numbers,
// or by a goroutine. A search that runs it may find anything, or nothing.
func chance(file, text string) (err error) {
	files := token.NewFileSet()
	parsed, failure := parser.ParseFile(files, file, text, 0)
	if failure != nil {
		return failure
	}
	imported := map[string]string{}
	for _, i := range parsed.Imports {
		from := strings.TrimSuffix(strings.Trim(i.Path.Value, `"`), "/v2")
		name := path.Base(from)
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = from
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "starts a goroutine"
		case *ast.SelectorExpr:
			if n.Sel.Name == "Go" { // of a sync.WaitGroup, for example
				what = "starts a goroutine"
			}
			of, _ := n.X.(*ast.Ident)
			if of != nil && (imported[of.Name] == "math/rand" || imported[of.Name] == "crypto/rand" ||
				imported[of.Name] == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep"}, n.Sel.Name)) {
				what = "calls " + of.Name + "." + n.Sel.Name
			}
		}
		if what != "" && err == nil {
			err = fmt.Errorf("%s:%d %s, and an actor must do the same again for the same answers", file, files.Position(n.Pos()).Line, what)
		}
		return err == nil
	})
	return err
}
