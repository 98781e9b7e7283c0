package transformer

import (
	"testing"

	"github.com/tilesmith/tilesmith/layout"
)

// What does not fit together is refused with a sentence, before anything is computed.
func TestRefused(t *testing.T) {
	k, p := Float32, &Pass{Train: true}
	m := layout.New[float32]
	l := NewLSTM(k, 2, 3)
	head := NewHead(k, 4, 3)
	head.Forward(p, m(2, 4))
	block := NewBlock(k, Shape{Width: 4, Heads: 2, Hidden: 4})
	list := func(x ...layout.Matrix[float32]) []layout.Matrix[float32] { return x }
	for name, f := range map[string]func(){
		"heads":           func() { NewBlock(k, Shape{Width: 4, Heads: 3, Hidden: 4}) },
		"no width":        func() { NewBlock(k, Shape{Heads: 1, Hidden: 4}) },
		"drop":            func() { NewBlock(k, Shape{Width: 4, Heads: 1, Hidden: 4, Drop: 1}) },
		"length":          func() { block.Forward(p, m(5, 4), Sequences{Length: 2}) },
		"no length":       func() { block.Forward(p, m(5, 4), Sequences{}) },
		"valid":           func() { block.Forward(p, m(4, 4), Sequences{Length: 2, Valid: []int{1}}) },
		"more than there": func() { block.Forward(p, m(4, 4), Sequences{Length: 2, Valid: []int{1, 3}}) },
		"width":           func() { block.Forward(p, m(4, 5), Sequences{Length: 2}) },
		"cache":           func() { block.Decode(p, m(3, 4), NewKVCache[float32](2, 4)) },
		"cache's width":   func() { block.Decode(p, m(2, 4), NewKVCache[float32](2, 5)) },
		"classes":         func() { head.Loss(p, []int32{1}) },
		"class":           func() { head.Loss(p, []int32{1, 3}) },
		"class below":     func() { head.Loss(p, []int32{1, -2}) },
		"lstm":            func() { NewLSTM(k, 0, 3) },
		"steps":           func() { l.Forward(p, nil, list(m(1, 2))) },
		"in":              func() { l.Forward(p, list(m(1, 3)), list(m(1, 3))) },
		"rows":            func() { l.Forward(p, list(m(1, 3), m(1, 3)), list(m(1, 2), m(2, 2))) },
		"gradients":       func() { l.Backward(p, nil, list(m(1, 3))) },
	} {
		func() {
			defer func() {
				if err, ok := recover().(layout.ShapeError); !ok {
					t.Errorf("%s: %v; want a layout.ShapeError", name, err)
				}
			}()
			f()
		}()
	}
	if _, err := NewEmbedding(k, 3, 2, 4, 0).Forward(p, []int32{0, 3}, Sequences{Length: 2}); err == nil {
		t.Error("a token that there is not is not refused")
	}
	if _, err := NewEmbedding(k, 3, 2, 4, 0).Forward(p, []int32{0, 1, 2}, Sequences{Length: 3}); err == nil {
		t.Error("a sequence that is longer than there are places is not refused")
	}
	if _, err := Bags[float32](3, [][]int{{0, 3}}); err == nil {
		t.Error("a bag of what there is not is not refused")
	}
}
