package fn

import (
	"fmt"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// loopFuncs leave loops early, in every way.
var loopFuncs = []string{
	`func f(x, y float32) float32 {
	s := float32(0)
	for i := 0; i < 64; i++ {
		s += x
		if s > y {
			break
		}
		x *= 0.75
	}
	return s
}`,
	`func f(x, y float32) (float32, int32) {
	for i := range 64 {
		if x*float32(i) > y {
			return x, int32(i)
		}
		y -= 0.5
	}
	return y, -1
}`,
	`func f(x, y float64) float64 {
	for i := 0; i < 64 && x < y; i++ {
		if x > 100 {
			continue
		}
		if x == y {
			return -1
		}
		x = x*1.5 + 1
	}
	return x
}`,
	`func f(n uint32) int32 {
	steps := int32(0)
	for n != 1 {
		if steps == 60 {
			return -1
		}
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}`,
	`func f(a, b uint32) uint32 {
	for range 48 {
		if b == 0 {
			return a
		}
		a, b = b, a%b
	}
	return 0
}`,
	`func f(x, y float32, k int32) float32 {
	best := float32(0)
outer:
	for i := 0; i < 8; i++ {
		for j := 0; j < 8; j++ {
			v := x*float32(i) - y*float32(j)
			switch {
			case v > 50:
				break outer
			case v < -50:
				continue outer
			case int32(i*j) == k:
				return v
			}
			best = max(best, v)
		}
	}
	return best
}`,
	`func f(x uint64) (n uint8) {
	for x != 0 {
		x &= x - 1
		n++
		if n == 63 {
			break
		}
	}
	return
}`,
}

// TestLoops runs loops of many trips that end early on all targets: neither masks nor
// anything else may run out.
func TestLoops(t *testing.T) {
	var list []*subject
	for i, src := range loopFuncs {
		text := writerPrelude + src
		p, s := snippet(t, text)
		if len(s.errs) > 0 {
			t.Fatalf("%v\n%s", s.errs, src)
		}
		f, err := p.Lookup(Ref{Name: "f"})
		if err != nil {
			t.Errorf("%v\n%s", err, src)
			continue
		}
		checkTranslation(t, p, s, text)
		list = append(list, subjectOf(f, s, s.decl("f"), fmt.Sprintf("loop%d", i), src, uint64(i)))
	}
	everywhere(t, list, level.RunsGo())
}
