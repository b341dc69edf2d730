package bolt

import (
	"encoding/binary"
	"errors"
	"sync"
	"testing"
)

func TestVisit(t *testing.T) {
	t.Run("no key is left out between the two walks", walksLeaveNoKeyOut)
	t.Run("a key that is not in its place is damage", misplacedKeyIsDamage)
}

// keys are those of a bucket, in their order.
func keys(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = binary.BigEndian.AppendUint32(nil, uint32(i))
	}
	return all
}

// walkOf walks over keys as a cursor does, and notes which it was given.
func walkOf(all [][]byte, w *walked, order int, seen []bool) error {
	at := 0
	if order < 0 {
		at = len(all) - 1
	}
	step := func() (key, value []byte) {
		if at < 0 || at >= len(all) {
			return nil, nil
		}
		key, seen[at] = all[at], true
		at += order
		return key, nil
	}
	first, _ := step()
	if order > 0 {
		return w.walk(first, step, &w.front, &w.back, order)
	}
	return w.walk(first, step, &w.back, &w.front, order)
}

func walksLeaveNoKeyOut(t *testing.T) {
	for _, n := range []int{0, 1, lookEvery - 1, lookEvery, lookEvery + 1, 2*lookEvery + 1, 5000} {
		for range 50 {
			all, w, seen := keys(n), &walked{}, [2][]bool{make([]bool, n), make([]bool, n)}
			var walks sync.WaitGroup
			for i, order := range []int{1, -1} {
				walks.Go(func() {
					if err := walkOf(all, w, order, seen[i]); err != nil {
						t.Error(err)
					}
				})
			}
			walks.Wait()
			for i := range n {
				if !seen[0][i] && !seen[1][i] {
					t.Fatalf("of %d keys, nobody has seen number %d", n, i)
				}
			}
		}
	}
}

func misplacedKeyIsDamage(t *testing.T) {
	for _, order := range []int{1, -1} {
		for name, exchange := range map[string]func(all [][]byte){
			"exchanged": func(all [][]byte) { all[7], all[8] = all[8], all[7] },
			"doubled":   func(all [][]byte) { all[8] = all[7] },
		} {
			all := keys(20)
			exchange(all)
			if err := walkOf(all, &walked{}, order, make([]bool, len(all))); !errors.Is(err, errDamaged) {
				t.Errorf("keys that are %s: %v", name, err)
			}
		}
	}
}
