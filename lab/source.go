package lab

import (
	"go/ast"
	"go/parser"
	"go/token"

	"microblogging"
)

// Source is the text of a Go file that a Site names, as it was when the program was built.
func Source(file string) (text string, ok bool) {
	content, err := microblogging.Source.ReadFile(file)
	return string(content), err == nil
}

// Function returns the first and the last line of the function that holds a line of a
// file. Lines count from 1. Both are 0 if no function does.
func Function(file string, line int) (first, last int) {
	text, ok := Source(file)
	if !ok {
		return 0, 0
	}
	lines := token.NewFileSet()
	parsed, err := parser.ParseFile(lines, file, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0
	}
	for _, declaration := range parsed.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first, last = lines.Position(f.Pos()).Line, lines.Position(f.End()).Line
		if first <= line && line <= last {
			return first, last
		}
	}
	return 0, 0
}
