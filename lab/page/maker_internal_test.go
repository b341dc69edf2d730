package page

import "testing"

func TestMakerKeeps(t *testing.T) {
	t.Run("nothing that another try may answer otherwise", nothingFleetingIsKept)
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
