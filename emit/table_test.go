package emit

import (
	"math"
	"testing"
)

// TestTable: values with numbers of their own, with the same one, and with numbers far out or negative.
func TestTable(t *testing.T) {
	var x table[int]
	var vs []*Value
	for _, id := range []int{0, 1, 1, 1, -5, math.MaxInt, 3000, 2, 4000, 5000, 3000} {
		vs = append(vs, &Value{ID: id})
	}
	for round := range 2 {
		for i, v := range vs {
			if _, ok := x.get(v); ok != (round > 0) {
				t.Errorf("value %d with number %d: there before it was put, or not after", i, v.ID)
			}
			x.put(v, i+100*round)
			if have, ok := x.get(v); have != i+100*round || !ok {
				t.Errorf("value %d with number %d: %d, want %d", i, v.ID, have, i+100*round)
			}
		}
	}
	for i, v := range vs {
		if have, _ := x.get(v); have != i+100 {
			t.Errorf("value %d with number %d: %d, want %d", i, v.ID, have, i+100)
		}
	}
	if _, ok := x.get(nil); ok {
		t.Error("there is something for no value")
	}
}
