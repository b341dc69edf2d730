package page

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"microblogging/lab/prove"
	"microblogging/templates"
)

func TestMakerKeeps(t *testing.T) {
	t.Run("nothing that another try may answer otherwise", nothingFleetingIsKept)
	t.Run("the index, whatever is asked of it", indexIsKept)
}

func indexIsKept(t *testing.T) {
	l, asked := New(Options{}), 0
	cases := l.cases()
	l.cases = func() []prove.Case { asked++; return cases }
	var first int
	for i, path := range []string{"/lab", "/lab", "/lab?x=1"} {
		w := httptest.NewRecorder()
		page := templates.Page{Path: path, Public: true, Asset: func(name string) string { return name }}
		if err := l.index(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil), page); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = asked
		}
	}
	if first == 0 || asked != first {
		t.Errorf("it was made of the scenarios %d times at first, and %d times more", first, asked-first)
	}
}

func nothingFleetingIsKept(t *testing.T) {
	for fleeting, want := range map[bool]int{true: 2, false: 1} {
		m, made := newMaker(newKept(maxKept), 1), 0
		for range 2 {
			_, err := m.answer(t.Context(), "key", func() (answer, error) {
				made++
				return answer{fleeting: fleeting}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if made != want {
			t.Errorf("fleeting %v: made %d times, want %d", fleeting, made, want)
		}
	}
}
