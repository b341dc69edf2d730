package page

import (
	"strings"
	"testing"

	"microblogging/lab"
)

func TestGuard(t *testing.T) {
	t.Run("explains each ablation once, in one sentence", guardExplainsEachAblation)
	t.Run("shows its code", guardShowsItsCode)
}

func guardExplainsEachAblation(t *testing.T) {
	ablations := lab.Ablations()
	if len(guards()) != len(ablations) {
		t.Errorf("%d guards, %d ablations", len(guards()), len(ablations))
	}
	for _, a := range ablations {
		g, ok := guardOf(a.Name)
		if !ok || g.Label == "" || !strings.HasSuffix(g.Why, ".") || strings.Count(g.Why, ".") != 1 {
			t.Errorf("%s is explained by %+v", a.Name, g)
		}
	}
}

func guardShowsItsCode(t *testing.T) {
	for _, g := range guards() {
		if code := g.source(); !strings.HasPrefix(code, g.Code) || !strings.HasSuffix(code, "}") {
			t.Errorf("%s: the code is %q", g.Name, code)
		}
	}
}
