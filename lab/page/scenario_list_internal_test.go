package page

import "testing"

func TestScenarioList(t *testing.T) {
	t.Run("is encoded once", func(t *testing.T) {
		l := New(Options{})
		first, err := l.list()
		if err != nil {
			t.Fatal(err)
		}
		again, err := l.list()
		if err != nil {
			t.Fatal(err)
		}
		if &first.body[0] != &again.body[0] {
			t.Error("it is encoded with each request")
		}
	})
}
