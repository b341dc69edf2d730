package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// The fourth operator of the protocol lets two neighbouring calls of the store change places. A call is a statement
// that passes ctx on, with the statements that follow up to the next. Two stay as they are if one needs the other.

// names returns what the compiler knows of the names in the files of a folder. Those of other packages are as the go
// command has compiled them.
func names(folder string, set *token.FileSet, files []*ast.File) *types.Info {
	compiled, err := exec.Command("go", "list", "-deps", "-export", "-f", "{{.ImportPath}}={{.Export}}", "./"+folder).Output()
	must(err)
	exports := map[string]string{}
	for line := range strings.Lines(string(compiled)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[name] = path
	}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	_, err = config.Check(folder, set, files, info)
	must(err)
	return info
}

// A unit is a call of the store, and what follows up to the next.
type unit []ast.Stmt

func (u unit) Pos() token.Pos { return u[0].Pos() }
func (u unit) End() token.Pos { return u[len(u)-1].End() }

// runs are the neighbours in a list of statements.
func (f *file) runs(list []ast.Stmt) (runs [][]unit) {
	var run []unit
	end := func() {
		if len(run) > 1 {
			runs = append(runs, run)
		}
		run = nil
	}
	for _, s := range list {
		var movable, follows bool
		switch s.(type) {
		case *ast.AssignStmt, *ast.ExprStmt, *ast.IfStmt, *ast.SwitchStmt:
			movable, follows = true, len(run) > 0
		case *ast.ReturnStmt, *ast.RangeStmt, *ast.ForStmt:
			movable = true
		}
		switch calls := f.callsStore(s); {
		case calls && movable:
			run = append(run, unit{s})
		case !calls && follows:
			run[len(run)-1] = append(run[len(run)-1], s)
		default:
			end()
		}
	}
	end()
	return runs
}

// elsewhere are functions that get ctx and call no store.
var elsewhere = regexp.MustCompile(`^(context|errors|fmt|domain|concurrent)\.|hashing|\.Group$`)

func (f *file) callsStore(s ast.Stmt) (does bool) {
	ast.Inspect(s, func(node ast.Node) bool {
		if c, ok := node.(*ast.CallExpr); ok && len(c.Args) > 0 && f.text(c.Args[0]) == "ctx" && !elsewhere.MatchString(f.text(c.Fun)) {
			does = true
		}
		_, literal := node.(*ast.FuncLit) // it is called elsewhere
		return !literal
	})
	return does
}

// orders lets neighbours change places.
func orders(f *file, change numbering) {
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		var list []ast.Stmt
		switch block := node.(type) {
		case *ast.BlockStmt:
			list = block.List
		case *ast.CaseClause:
			list = block.Body
		}
		for _, run := range f.runs(list) {
			f.reorder(run, change)
		}
		return true
	})
}

// reorder puts a run into the last branch of a statement that has the other orders before.
func (f *file) reorder(run []unit, change numbering) {
	first, last := -1, 0
	for i := range run[1:] {
		if f.swappable(run[i], run[i+1]) {
			if first < 0 {
				first = i
			}
			last = i + 1
		}
	}
	if first < 0 {
		return
	}
	run = run[first : last+1]
	text, assigned := f.declared(run)
	maps.Copy(f.assigned, assigned)
	for i := range run[1:] {
		if f.swappable(run[i], run[i+1]) {
			text += "if mutant(" + change("order", "before the one above", run[i+1]) + ") { "
			for _, u := range run[:i] {
				text += f.line(u, assigned)
			}
			text += f.swapped(run[i], run[i+1], run[i+2:], assigned) + "} else "
		}
	}
	f.before[f.at(run[0].Pos())] += text + "{ "
	f.after[f.at(run[len(run)-1].End())] += " }"
}

// declared declares what the statements of a run declare, and returns the offsets of their :=.
func (f *file) declared(run []unit) (text string, assigned map[int]bool) {
	assigned = map[int]bool{}
	for _, s := range slices.Concat(run...) {
		a, is := s.(*ast.AssignStmt)
		if !is || a.Tok != token.DEFINE {
			continue
		}
		assigned[f.at(a.TokPos)] = true
		for _, name := range a.Lhs {
			if object := f.info.Defs[name.(*ast.Ident)]; object != nil {
				text += "var " + object.Name() + " " + types.TypeString(object.Type(), f.imported) + "; "
			}
		}
	}
	return text, assigned
}

// imported is the name of a package in the file, which imports it from then on.
func (f *file) imported(p *types.Package) string {
	if p.Path() == f.folder() {
		return ""
	}
	name := "mutant" + p.Name()
	if line := fmt.Sprintf("; import %s %q", name, p.Path()); !strings.Contains(f.after[f.at(f.syntax.Name.End())], line) {
		f.after[f.at(f.syntax.Name.End())] += line
	}
	return name
}

// line is a unit in one line.
func (f *file) line(u unit, assigned map[int]bool) string {
	text := []byte(f.text(u))
	for i := range text {
		if assigned[f.at(u.Pos())+i] {
			text[i] = ' '
		}
	}
	return oneLine(string(text)) + "; "
}

// swapped is b before a, and what comes after.
func (f *file) swapped(a, b unit, after []unit, assigned map[int]bool) string {
	first, then := f.line(b, assigned), f.line(a, assigned)
	if condition, ok := b[0].(*ast.IfStmt); ok && condition.Init == nil && f.text(condition.Cond) == "err == nil" {
		then = "if err == nil { " + then + "}; "
	}
	if end, ok := b[0].(*ast.ReturnStmt); ok {
		others, call := "", end.Results[len(end.Results)-1]
		for _, result := range end.Results[:len(end.Results)-1] {
			others += f.text(result) + ", "
		}
		first = "if err := " + oneLine(f.text(call)) + " err != nil { return " + oneLine(others+"err") + "}; "
		then += "return " + oneLine(others+"nil") + "; "
	}
	for _, u := range after {
		then += f.line(u, assigned)
	}
	return first + then
}

// swappable reports whether two neighbours can change places.
func (f *file) swappable(a, b unit) bool {
	if end, ok := b[0].(*ast.ReturnStmt); ok {
		last := end.Results[len(end.Results)-1]
		if !types.Identical(f.info.Types[last].Type, types.Universe.Lookup("error").Type()) {
			return false
		}
		for _, other := range end.Results[:len(end.Results)-1] {
			if f.callsStore(&ast.ExprStmt{X: other}) {
				return false
			}
		}
		return !f.needs(unit{&ast.ExprStmt{X: last}}, a) && !f.needs(a, b)
	}
	return !f.needs(b, a) && !f.needs(a, b)
}

// needs reports whether a unit reads what another one writes.
func (f *file) needs(reader, writer unit) bool {
	written, fields := map[types.Object]bool{}, map[string]bool{}
	assign := func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.Ident:
			if object := f.info.ObjectOf(e); object != nil {
				written[object] = true
			}
		case nil:
		default:
			fields[f.text(e)] = true
		}
	}
	for _, s := range writer {
		ast.Inspect(s, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					assign(e)
				}
			case *ast.RangeStmt:
				assign(n.Key)
				assign(n.Value)
			case *ast.IncDecStmt:
				assign(n.X)
			}
			return true
		})
	}
	for field := range fields {
		if strings.Contains(f.text(reader), field) {
			return true
		}
	}
	for _, s := range reader {
		needed := false
		ast.Inspect(s, func(node ast.Node) bool {
			name, ok := node.(*ast.Ident)
			if ok && written[f.info.ObjectOf(name)] && !f.freshError(reader, f.info.ObjectOf(name)) {
				needed = true
			}
			return true
		})
		if needed {
			return true
		}
	}
	return false
}

// freshError reports whether a unit begins with an error of its own, or only if there is none yet.
func (f *file) freshError(u unit, object types.Object) bool {
	if !types.Identical(object.Type(), types.Universe.Lookup("error").Type()) {
		return false
	}
	switch s := u[0].(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { name, ok := e.(*ast.Ident); return ok && f.info.ObjectOf(name) == object })
	case *ast.IfStmt:
		return s.Init == nil && f.text(s.Cond) == object.Name()+" == nil"
	}
	return false
}
