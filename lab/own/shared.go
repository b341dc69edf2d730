package own

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// shared is an error if an actor of a protocol, which is this method in a file, changes a variable that is declared outside of the
// actor: all runs of all actors share that, so an actor does not do the same again for the same answers.
func shared(file, text, method string) (err error) {
	files := token.NewFileSet()
	parsed, failure := parser.ParseFile(files, file, text, 0)
	if failure != nil {
		return failure
	}
	line := func(pos token.Pos) int { return files.Position(pos).Line }
	ast.Inspect(parsed, func(n ast.Node) bool {
		var f *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil && n.Name.Name != method {
				return false
			}
			f = n.Type
		case *ast.FuncLit:
			f = n.Type
		}
		if f == nil || !takesClient(f) {
			return err == nil
		}
		actor := n
		ast.Inspect(actor, func(n ast.Node) bool {
			for _, changed := range changedBy(n) {
				if v := variable(changed); err == nil && v != nil && (v.Obj.Pos() < actor.Pos() || v.Obj.Pos() > actor.End()) {
					err = fmt.Errorf("%s:%d changes %s, a variable that is declared in line %d, outside of the actor's function: all runs of all actors share it", file, line(v.Pos()), v.Name, line(v.Obj.Pos()))
				}
			}
			return err == nil
		})
		return false // what is in it, is a part of it
	})
	return err
}

// takesClient reports whether a function has a parameter of the type Client, as an actor has.
func takesClient(f *ast.FuncType) bool {
	for _, field := range f.Params.List {
		if of, is := field.Type.(*ast.Ident); is && of.Name == "Client" {
			return true
		}
	}
	return false
}

// changedBy are the expressions that a statement assigns to, or of which it deletes a part.
func changedBy(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.CallExpr:
		if f, is := n.Fun.(*ast.Ident); is && f.Name == "delete" {
			return n.Args[:1]
		}
	}
	return nil
}

// variable is the variable that an expression is a part of, such as m in m["a"]. It is nil if it is none of the file's.
func variable(e ast.Expr) *ast.Ident {
	for {
		switch part := e.(type) {
		case *ast.IndexExpr:
			e = part.X
		case *ast.SelectorExpr:
			e = part.X
		case *ast.StarExpr:
			e = part.X
		case *ast.ParenExpr:
			e = part.X
		case *ast.Ident:
			if part.Obj == nil || part.Obj.Kind != ast.Var {
				return nil
			}
			return part
		default:
			return nil
		}
	}
}
