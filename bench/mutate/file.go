package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// A file is one that is changed by text that goes in between, so no line moves.
type file struct {
	path   string
	source []byte
	set    *token.FileSet
	syntax *ast.File
	info   *types.Info
	// within goes in at an offset: it is around expressions. What is around statements comes before and after it.
	before, within, after map[int]string
	// assigned are the offsets of := that become =.
	assigned map[int]bool
}

// readFolder reads the files of a folder but for tests. With types, it also finds out what their names are.
func readFolder(folder string, types bool) map[string]*file {
	paths, err := filepath.Glob(folder + "/*.go")
	must(err)
	set, files := token.NewFileSet(), map[string]*file{}
	var syntax []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		must(err)
		f := &file{path: path, source: source, set: set, before: map[int]string{}, within: map[int]string{}, after: map[int]string{}, assigned: map[int]bool{}}
		f.syntax, err = parser.ParseFile(set, path, source, parser.SkipObjectResolution|parser.ParseComments)
		must(err)
		files[path], syntax = f, append(syntax, f.syntax)
	}
	if types {
		info := names(folder, set, syntax)
		for _, f := range files {
			f.info = info
		}
	}
	return files
}

func (f *file) folder() string { return filepath.Dir(f.path) }

func (f *file) at(p token.Pos) int { return f.set.Position(p).Offset }

func (f *file) text(n ast.Node) string { return string(f.source[f.at(n.Pos()):f.at(n.End())]) }

// wrap puts text around a node. What is within must be wrapped later.
func (f *file) wrap(n ast.Node, before, after string) {
	f.within[f.at(n.Pos())] += before
	f.within[f.at(n.End())] = after + f.within[f.at(n.End())]
}

// changed is the text of the file with its changes.
func (f *file) changed() string {
	var out bytes.Buffer
	for i, b := range f.source {
		out.WriteString(f.before[i] + f.within[i] + f.after[i])
		if f.assigned[i] {
			b = ' '
		}
		out.WriteByte(b)
	}
	return out.String()
}

// quote is the name of a node's function, and the line at which the node begins, with the node in brackets.
func (f *file) quote(n ast.Node) string {
	function := ""
	for _, declared := range f.syntax.Decls {
		if d, ok := declared.(*ast.FuncDecl); ok && d.Pos() <= n.Pos() && n.End() <= d.End() {
			function = d.Name.Name
		}
	}
	from := f.at(n.Pos())
	start, end := bytes.LastIndexByte(f.source[:from], '\n')+1, from+bytes.IndexByte(f.source[from:], '\n')
	to := min(f.at(n.End()), end)
	return fmt.Sprintf("%s: %s[%s]%s", function, bytes.TrimLeft(f.source[start:from], "\t"), f.source[from:to], f.source[to:end])
}

// An operator is a binary expression, of which only the operator is quoted.
type operator struct{ *ast.BinaryExpr }

func (o operator) Pos() token.Pos { return o.OpPos }
func (o operator) End() token.Pos { return o.OpPos + token.Pos(len(o.Op.String())) }

// oneLine is the text of statements in one line, without comments.
func oneLine(text string) string {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", -1, len(text)), []byte(text), nil, 0)
	var out strings.Builder
	for {
		_, t, literal := s.Scan()
		switch {
		case t == token.EOF:
			return out.String()
		case t == token.SEMICOLON:
			literal = ";"
		case literal == "":
			literal = t.String()
		}
		out.WriteString(literal + " ")
	}
}
