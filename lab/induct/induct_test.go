package induct_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"microblogging/lab/induct"
	"microblogging/lab/protocol"
)

func load(t *testing.T, name string) *induct.Model {
	t.Helper()
	m, err := induct.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// solving leaves a test that starts z3 to make test.
func solving(t *testing.T) {
	if testing.Short() {
		t.Skip("starts z3, which make check leaves to make test")
	}
	t.Parallel()
}

func TestModels(t *testing.T) {
	for _, name := range induct.Names() {
		t.Run(name+" holds for any number", func(t *testing.T) {
			solving(t)
			gaps, err := load(t, name).Check(t.Context())
			if err != nil || len(gaps) > 0 {
				t.Errorf("not proved: %v, %v", gaps, err)
			}
		})
		t.Run(name+" needs each of its safeguards", func(t *testing.T) {
			solving(t)
			m := load(t, name)
			for _, safeguard := range m.Safeguards() {
				gaps, err := m.Without(t.Context(), safeguard)
				if err != nil || !slices.ContainsFunc(gaps, func(g induct.Gap) bool { return g.Answer == "sat" }) {
					t.Errorf("without %s, no step is found that breaks an invariant: %v, %v", safeguard, gaps, err)
				}
			}
		})
		t.Run(name+" names safeguards that the model checker takes out too", func(t *testing.T) {
			var known []string
			for _, s := range protocol.Ablations() {
				known = append(known, s.Name)
			}
			for _, safeguard := range load(t, name).Safeguards() {
				if !slices.Contains(known, safeguard) {
					t.Errorf("no ablation of package protocol is named %s", safeguard)
				}
			}
		})
		t.Run(name+" names functions that the code has", func(t *testing.T) {
			for _, s := range load(t, name).Steps {
				if !declared(t, s.Function) {
					t.Errorf("step %q names %s, which is not there: say which function takes it now", s.Name, s.Function)
				}
			}
		})
	}
}

// declared reports whether the code has a method, as folder.Type.Method.
func declared(t *testing.T, function string) bool {
	t.Helper()
	parts := strings.Split(function, ".")
	if len(parts) != 3 {
		t.Fatalf("%s is not folder.Type.Method", function)
	}
	files, err := filepath.Glob(filepath.Join("../..", parts[0], "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Name.Name == parts[2] && f.Recv != nil && receiver(f.Recv.List[0].Type) == parts[1]
		})
	})
}

func receiver(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	name, _ := e.(*ast.Ident)
	return name.String()
}

func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"a list without an end is refused":     "(sort A",
		"a parenthesis too many is refused":    "(sort A))",
		"an unknown declaration is refused":    "(sorts A)",
		"a step without a body is refused":     `(step "a" "b" "c")`,
		"an effect on no relation is refused":  `(step "a" "b" "c" () (if true) (then (add r x)))`,
		"an effect without a value is refused": `(sort P) (relation r (P)) (step "a" "b" "c" () (if true) (then (remove r)))`,
		"a part that is none is refused":       `(step "a" "b" "c" () (when true))`,
		"a sentence that is missing is none":   `(goal "a" ((p Post)) true)`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := induct.Parse("test", text); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}
