package fn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/ranges"
)

// TestPromises: what a range of an operand leaves out of functions, and what it must not: the guards of indices and divisors.
func TestPromises(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		text   string // of a function of x float32 and i int32
		x, i   ranges.Range
		before string // the operations without the ranges; refused: why not
		after  string
	}{
		{"if x < 0 {\nreturn -1\n}\nreturn x", ranges.Range{Low: 0, High: 1}, ranges.Range{}, "1 cmp, 1 select", "none"},
		{"if x < 0 {\nreturn -1\n}\nreturn x", ranges.Range{Low: -1, High: 1}, ranges.Range{}, "1 cmp, 1 select", "1 cmp, 1 select"},
		{"if x != x {\nreturn -1\n}\nreturn x", ranges.Range{Low: -inf, High: inf}, ranges.Range{}, "1 cmp, 1 select", "1 cmp, 1 select"}, // x and x are no neighbours
		{"if x <= 1 {\nreturn x\n}\nreturn 2 * x", ranges.Range{Low: -inf, High: 1}, ranges.Range{}, "1 cmp, 1 mul, 1 select", "none"},
		{"if x*x < 0 {\nreturn -1\n}\nreturn x", ranges.Range{Low: -2, High: 1}, ranges.Range{}, "1 cmp, 1 mul, 1 select", "none"},
		{"return max(x, 0)", ranges.Range{Low: 1e-3, High: 1}, ranges.Range{}, "1 max", "none"},
		{"return min(max(x, -1), 1)", ranges.Range{Low: -0.5, High: 0.5}, ranges.Range{}, "", "none"},
		{"return float32(math.Abs(float64(x)))", ranges.Range{Low: 1, High: inf}, ranges.Range{}, "1 and", "none"},
		{"return float32(math.Abs(float64(x)))", ranges.Range{Low: 0, High: inf}, ranges.Range{}, "1 and", "1 and"}, // which may be -0
		{"return float32(math.Abs(float64(x)))", ranges.Range{Low: -2, High: -1}, ranges.Range{}, "1 and", "1 xor"},
		{"return float32(int32(x))", ranges.Range{Low: -100, High: 100}, ranges.Range{}, "refused: may be out of range", "2 cvt"},
		{"return float32(int32(x))", ranges.Range{Low: -100, High: 1e10}, ranges.Range{}, "refused: may be out of range", "refused: from -100 to 10000000000"},
		{"if i > 3 {\nreturn 1\n}\nreturn 2", ranges.Range{}, ranges.Range{Low: -4, High: 3}, "", "none"},
		{"return 1 / (1 + float32(math.Exp(float64(x))))", ranges.Range{Low: -80, High: 80}, ranges.Range{}, "", ""},
		// Guards stay: a select keeps an index inside, and a divisor from 0.
		{"return levels[i]", ranges.Range{}, ranges.Range{Low: 0, High: 3}, "refused: the index may be outside", "1 cmp, 1 select, 1 table, 2 xor"},
		{"if i < 0 || i > 3 {\ni = 0\n}\nreturn levels[i]", ranges.Range{}, ranges.Range{Low: 0, High: 3}, "2 cmp, 1 select, 1 table", "1 cmp, 1 select, 1 table, 2 xor"},
		{"return levels[int32(x)]", ranges.Range{Low: 0, High: 3.5}, ranges.Range{}, "refused: may be out of range", "1 cmp, 1 cvt, 1 select, 1 table, 2 xor"},
		{"return levels[int32(x)/1000000000]", ranges.Range{Low: 0, High: 2e9}, ranges.Range{}, "refused: may be out of range", ""},
		{"if !(x > 0) {\nx = 0\n}\nreturn levels[int32(x)>>29]", ranges.Range{Low: 0, High: 2e9}, ranges.Range{}, "refused: may be out of range", ""},
		{"if !(x > 0) {\nx = 0\n}\nif x < 2e9 {\nreturn levels[int32(x)>>29]\n}\nreturn 0", ranges.Range{}, ranges.Range{}, "", ""}, // a condition promises as much
		{"return float32(100 / i)", ranges.Range{}, ranges.Range{Low: 1, High: 9}, "refused: may be 0", ""},
		{"k := int32(7)\nreturn float32(k << i)", ranges.Range{}, ranges.Range{Low: 0, High: 9}, "refused: may be negative", ""},
	} {
		text := "package fuzzed\n\nimport \"math\"\n\nvar _ = math.Pi\n\nvar levels = [4]float32{0, 0.25, 0.5, 1}\n\nfunc f(x float32, i int32) float32 {\n" + c.text + "\n}\n"
		p, _ := snippet(t, text)
		for _, x := range []struct {
			within []ranges.Range
			want   string
		}{{nil, c.before}, {[]ranges.Range{c.x, c.i}, c.after}} {
			f, err := p.Lookup(Ref{Name: "f", within: x.within})
			if why, refused := strings.CutPrefix(x.want, "refused: "); refused || err != nil {
				if err == nil || !refused || !strings.Contains(err.Error(), why) {
					t.Errorf("%s\nwithin %v: %v, want %q", c.text, x.within, err, x.want)
				}
				continue
			}
			if have := counted(f); x.want != "" && have != x.want {
				t.Errorf("%s\nwithin %v: %s, want %s", c.text, x.within, have, x.want)
			}
			// Operands that break their promise give any number, but no fault: the interpreter reports an index that is outside.
			k, r := newKernel(t, f, true), rand.New(level.PCG(1, 2))
			for range 20 {
				k.run(t, inputs(r, f))
			}
		}
	}
}

// TestPromisesNear: a quotient is shorter for a divisor in a range, but not beside a table, whose index may depend on it.
func TestPromisesNear(t *testing.T) {
	for text, want := range map[string]bool{"1 / x": true, "1/x + levels[i&3]": false} {
		p, _ := snippet(t, "package fuzzed\n\nvar levels = [4]float32{0, 0.25, 0.5, 1}\n\nfunc f(x float32, i int32) float32 { return "+text+" }\n")
		f, err := p.Lookup(Ref{Name: "f", within: []ranges.Range{{Low: 1, High: 2}}})
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.Contains(newKernel(t, f, true).ir.String(), "{near}"); have != want {
			t.Errorf("%s: near is %v", text, have)
		}
	}
}

// counted lists the operations of a function in the order of their names.
func counted(f *Func) string {
	var parts []string
	cost := f.Cost()
	for _, name := range []string{"and", "cmp", "cvt", "max", "min", "mul", "select", "table", "xor"} {
		if n := cost[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// TestPromisesKept compares random functions with and without promises on operands that keep them, to the bit.
func TestPromisesKept(t *testing.T) {
	r := rand.New(level.PCG(3, 4))
	count := level.Of(40, 120, 2000)
	g := &generator{rnd: r}
	g.program(count)
	p, s := snippet(t, writerPrelude+strings.Join(g.sources, "\n"))
	if len(s.errs) > 0 {
		t.Fatal(s.errs)
	}
	shorter := 0
	for n := range count {
		ref := Ref{Name: fmt.Sprintf("g%d", n)}
		plain, err := p.Lookup(ref)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plain.Params {
			within := ranges.Range{}
			switch r.IntN(4) {
			case 0:
				within = ranges.Range{Low: 0, High: float64(1 + r.IntN(100))}
			case 1:
				within = ranges.Range{Low: 1, High: math.Inf(1)}
			case 2:
				within = ranges.Range{Low: -3, High: 0.5}
			}
			if in := typeRange(plain.Params[i]); in.lo == 0 { // the parameter has no sign
				within.Low = max(within.Low, 0)
			}
			if plain.Params[i].Int() {
				within.High = math.Floor(within.High)
			}
			if plain.Params[i] == Bool || within.Low >= within.High {
				within = ranges.Range{}
			}
			ref.within = append(ref.within, within)
		}
		f, err := p.Lookup(ref)
		if err != nil {
			t.Fatalf("%v\n%s", err, g.sources[n])
		}
		if len(f.order) < len(plain.order) {
			shorter++
		}
		in := inputs(r, f)
		for i, w := range ref.within {
			for l := range in[i] {
				for w != (ranges.Range{}) && !in64(f.Params[i], in[i][l], w) {
					in[i][l] = drawn(r, f.Params[i], w)
				}
			}
		}
		want, have := newKernel(t, plain, false).run(t, in)[0], newKernel(t, f, false).run(t, in)[0]
		u := f.Results[0]
		for l := range want {
			if want[l] != have[l] && !(u.Float() && math.IsNaN(floatOf(u, want[l])) && math.IsNaN(floatOf(u, have[l]))) {
				t.Errorf("lane %d is %#x, without ranges it is %#x, within %v\n%s", l, have[l], want[l], ref.within, g.sources[n])
				break
			}
		}
	}
	if shorter < count/10 {
		t.Errorf("%d of %d functions became shorter: the ranges hardly matter", shorter, count)
	}
}

// in64 reports whether bits are of a number in a range, and drawn makes some, often of an end.
func in64(t Type, bits uint64, r ranges.Range) bool {
	x := float64(intOf(t, bits))
	if t.Float() {
		x = floatOf(t, bits)
	}
	return r.Low <= x && x <= r.High
}

func drawn(r *rand.Rand, t Type, w ranges.Range) uint64 {
	x := []float64{w.Low, min(w.High, 100), w.Low + r.Float64()*(min(w.High, 100)-w.Low)}[r.IntN(3)]
	if t.Float() {
		return floatBits(t, x)
	}
	return truncateTo(t, uint64(int64(math.Floor(x))))
}

// TestPromisesDerived compares derivatives with and without promises, inside of the ranges: at an end that is a kink they
// are those of different sides.
func TestPromisesDerived(t *testing.T) {
	r := rand.New(level.PCG(5, 6))
	count, made, shorter := level.Of(100, 300, 3000), 0, 0
	g := &generator{rnd: r}
	g.program(count)
	p, s := snippet(t, writerPrelude+strings.Join(g.sources, "\n"))
	if len(s.errs) > 0 {
		t.Fatal(s.errs)
	}
	for n := range count {
		ref := Ref{Name: fmt.Sprintf("g%d", n), By: []int{}}
		plain, err := p.Lookup(ref)
		if err != nil {
			continue // it has none
		}
		ref.within = []ranges.Range{{Low: 0.1, High: 3}, {Low: -2, High: 0}, {Low: 1, High: math.Inf(1)}, {Low: 1, High: 9}}
		f, err := p.Lookup(ref)
		if err != nil {
			t.Fatalf("%v\n%s", err, g.sources[n])
		}
		if made++; len(f.order) < len(plain.order) {
			shorter++
		}
		in := inputs(r, f)
		for l := range lanes {
			for i, w := range ref.within {
				x := w.Low + r.Float64()*(min(w.High, 50)-w.Low)
				if in[i][l] = uint64(x); f.Params[i].Float() {
					in[i][l] = floatBits(f.Params[i], x)
				}
			}
			last := len(in) - 1 // the gradient by the result: an infinity times 0 may be left out
			in[last][l] = floatBits(f.Params[last], 1+r.Float64())
		}
		want, have := newKernel(t, plain, false).run(t, in), newKernel(t, f, false).run(t, in)
		for k, u := range f.Results {
			for l := range want[k] {
				a, b := floatOf(u, want[k][l]), floatOf(u, have[k][l])
				if a != b && !(a != a && b != b) && !(math.Abs(a-b) <= 1e-5*math.Abs(a)) {
					t.Errorf("gradient %d in lane %d is %v, without ranges it is %v\n%s", k, l, b, a, g.sources[n])
					break
				}
			}
		}
	}
	if made < count/5 || shorter < made/10 {
		t.Errorf("of %d functions %d have derivatives, and %d of those became shorter: the ranges hardly matter", count, made, shorter)
	}
}
