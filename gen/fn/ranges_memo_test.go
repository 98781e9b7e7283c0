package fn

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestRangeMemo compares a memo with a stack of maps, of which the last is what is known.
func TestRangeMemo(t *testing.T) {
	rnd := rand.New(level.PCG(7, 8))
	nodes := make([]node, 40)
	for i := range nodes {
		nodes[i].id = i
	}
	var m rangeMemo
	for range 20 {
		m.reset()
		var around []rangeLevel
		want := []map[int]interval{{}}
		for step := range 500 {
			id := rnd.IntN(len(nodes))
			switch last := want[len(want)-1]; rnd.IntN(12) {
			case 0:
				around, want = append(around, m.open()), append(want, map[int]interval{})
			case 1:
				if n := len(around); n > 0 {
					m.close(around[n-1])
					around, want = around[:n-1], want[:n]
				}
			case 2:
				m.forget(id)
				maps.DeleteFunc(last, func(of int, _ interval) bool { return of >= id })
			default:
				last[id] = interval{float64(step), float64(step + 1)}
				m.set(&nodes[id], last[id])
			}
			for i := range nodes {
				r, ok := m.known(&nodes[i])
				w, is := want[len(want)-1][i]
				if ok != is || ok && r != w {
					t.Fatalf("step %d, %d levels: node %d is %v, %t; want %v, %t", step, len(want), i, r, ok, w, is)
				}
			}
		}
	}
}
