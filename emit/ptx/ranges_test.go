package ptx

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// What is known of integers, and which are kept in 32 bits.
func TestRanges(t *testing.T) {
	const head = `func @f(p: ptr.global.16 @0, n: i64 @8, i: i32 @16) {
	%n = param {name="n"} : i64
	%i = param {name="i"} : i32
	%p = param {name="p"} : ptr.global.16
	%t = sreg {name="tid.x"} : i64
	%0 = const : i64
	%1 = const {imm=1} : i64
	%3 = const {imm=3} : i64
	%8 = const {imm=8} : i64
	%m = const {imm=-5} : i64
`
	const top, bottom = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		body   string // the last value is looked at
		lo, hi int64
		narrow bool
	}{
		{"%r = add %t, %8 : i64", 8, 1031, true},
		{"%r = sub %m, %t : i64", -5 - 1023, -5, true},
		{"%a = mul %t, %m : i64\n%r = mul %a, %a : i64", 0, 5115 * 5115, true},
		{"%a = mul %t, %n : i64\n%r = copy %a : i64", bottom, top, false},
		{"%r = shl %t, %3 : i64", 0, 8184, true},
		{"%r = shr %n, %3 : i64", 0, top >> 2, false},
		{"%r = shr %t, %3 : i64", 0, 127, true},
		{"%r = sar %m, %1 : i64", -3, -3, true},
		{"%r = and %n, %8 : i64", 0, 8, true},
		{"%r = and %n, %m : i64", bottom, top, false},
		{"%r = or %t, %8 : i64", 0, 1023, true},
		{"%r = xor %t, %n : i64", bottom, top, false},
		{"%r = udiv %t, %8 : i64", 0, 127, true},
		{"%r = urem %t, %8 : i64", 0, 7, true},
		{"%a = imax %n, %0 : i64\n%r = imin %a, %8 : i64", 0, 8, true},
		{"%c = cmp %n, %t {name=\"lt\"} : i1\n%r = select %c, %t, %m : i64", -5, 1023, true},
		{"%r = zext %i : i64", 0, math.MaxUint32, false},
		{"%r = sext %i : i64", math.MinInt32, math.MaxInt32, true},
		{"%a = trunc %t : i8\n%r = sext %a : i64", -128, 127, true},
		{"%a = trunc %t : i8\n%r = zext %a : i64", 0, 255, true},
		{"%a = sat %n {name=\"s\"} : i16\n%r = sext %a : i64", -32768, 32767, true},
		{"%r = for %0, %t, %1, %8 : i64 (%j: i64, %a: i64) {\n%b = urem %j, %3 : i64\nyield %b\n}", 0, 8, true},
		{"%r = for %0, %t, %1, %8 : i64 (%j: i64, %a: i64) {\n%b = add %a, %1 : i64\nyield %b\n}", bottom, top, false},
		{"%e = const {imm=24} : i64\n%r = for %0, %n, %1, %0 : i64 (%j: i64, %a: i64) {\n%b = add %a, %8 : i64\n%c = cmp %b, %e {name=\"eq\"} : i1\n%d = select %c, %0, %b : i64\nyield %d\n}", 0, 16, true},
		{"%e = const {imm=25} : i64\n%r = for %0, %n, %1, %0 : i64 (%j: i64, %a: i64) {\n%b = add %a, %8 : i64\n%c = cmp %b, %e {name=\"eq\"} : i1\n%d = select %c, %0, %b : i64\nyield %d\n}", bottom, top, false},
		{"%r = while %n : i64 (%a: i64) {\n%c = cmp %a, %8 {name=\"gt\"} : i1\n%b = and %a, %8 : i64\nyield %c, %b\n} do (%b2: i64) {\n%d = sub %b2, %1 : i64\nyield %d\n}", 0, 8, true},
	} {
		f, err := emit.Parse(head + c.body + "\nstore %r, %p\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		f.Number()
		n := findNarrow(f)
		v := f.Body.Ops[len(f.Body.Ops)-1].Args[0]
		if have := n.of(v); have != (interval{c.lo, c.hi}) {
			t.Errorf("%s\nis %v, want %v", c.body, have, interval{c.lo, c.hi})
		}
		if n.has(v) != c.narrow {
			t.Errorf("%s\nin 32 bits: %v, want %v", c.body, n.has(v), c.narrow)
		}
	}
}

// The ends of an interval stay in bounds: every pair of small numbers and of numbers
// that overflow.
func TestBetween(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -3, -1, 0, 1, 4, math.MaxInt64 - 1, math.MaxInt64}
	for _, a := range ends {
		for _, b := range ends {
			sum, ok := addOK(a, b)
			if want := float64(a) + float64(b); ok != (math.Abs(want) < 1<<63) && math.Abs(math.Abs(want)-1<<63) > 4 || ok && sum != a+b {
				t.Errorf("%d + %d: %d, %v", a, b, sum, ok)
			}
			product, ok := mulOK(a, b)
			if want := float64(a) * float64(b); ok != (math.Abs(want) < 1<<63) && math.Abs(math.Abs(want)-1<<63) > 4 || ok && product != a*b {
				t.Errorf("%d * %d: %d, %v", a, b, product, ok)
			}
		}
	}
}

// What is kept in 32 bits because its high bits do not count, by the names of values.
func TestLow(t *testing.T) {
	const head = `func @f(p: ptr.global.16 @0, s: ptr.shared.16 @8, n: i64 @16) {
	%n = param {name="n"} : i64
	%p = param {name="p"} : ptr.global.16
	%s = param {name="s"} : ptr.shared.16
	%0 = const : i64
	%1 = const {imm=1} : i64
	%8 = const {imm=8} : i64
`
	for _, c := range []struct {
		body string
		want []bool // of the values of type i64 that are no constants, after n
	}{
		{"%a = mul %n, %8 : i64\n%b = add %a, %n : i64\n%q = addp %s, %b : ptr.shared\nstore %0, %q", []bool{true, true}},
		{"%a = mul %n, %8 : i64\n%q = addp %p, %a : ptr.global\nstore %0, %q", []bool{false}},
		{"%a = mul %n, %8 : i64\nstore %a, %s, %a {scale=8}", []bool{false}},
		{"%a = mul %n, %8 : i64\nstore %0, %s, %a {scale=8}", []bool{true}},
		{"%a = mul %n, %8 : i64\nstore %0, %p, %a {scale=8}", []bool{false}},
		{"%a = mul %n, %8 : i64\n%b = shl %a, %1 : i64\n%c = trunc %b : i16\nstore %c, %p", []bool{true, true}},
		{"%a = mul %n, %8 : i64\n%b = shr %a, %1 : i64\n%c = trunc %b : i16\nstore %c, %p", []bool{false, false}},
		{"%a = mul %n, %8 : i64\n%b = sar %a, %1 : i64\n%c = trunc %b : i32\nstore %c, %p", []bool{false, false}},
		{"%a = mul %n, %8 : i64\n%b = shr %n, %a : i64\nstore %b, %p", []bool{true, false}},
		{"%a = mul %n, %8 : i64\n%b = imin %a, %n : i64\n%c = trunc %b : i32\nstore %c, %p", []bool{false, false}},
		{"%a = mul %n, %8 : i64\n%b = imin %a, %8 : i64\n%d = imax %b, %0 : i64\n%c = trunc %d : i32\nstore %c, %p", []bool{false, false, true}},
		{"%a = mul %n, %8 : i64\n%c = cmp %a, %n {name=\"lt\"} : i1\n%b = select %c, %a, %n : i64\n%d = trunc %b : i32\nstore %d, %p", []bool{false, true}},
		{"for %0, %n, %1 (%i: i64) {\n%d = trunc %i : i32\nstore %d, %p\nyield\n}", []bool{false}},
		{"%hi = and %n, %8 : i64\nfor %0, %hi, %1 (%i: i64) {\nstore %i, %p\nyield\n}", []bool{true, true}},
		{"%hi = trunc %n : i32\n%h = sext %hi : i64\n%big = const {imm=3} : i64\nfor %0, %h, %big (%i: i64) {\nstore %i, %p\nyield\n}", []bool{true, false}},
		{"%r = for %0, %n, %1, %n : i64 (%i: i64, %a: i64) {\n%b = add %a, %i : i64\nyield %b\n}\n%d = trunc %r : i32\nstore %d, %p", []bool{false, true, true, true}},
		{"%r = for %0, %n, %1, %n : i64 (%i: i64, %a: i64) {\n%b = add %i, %1 : i64\nstore %b, %p\nyield %b\n}\n%d = trunc %r : i32\nstore %d, %p", []bool{false, true, false, true}},
		{"%r = for %0, %n, %1, %n : i64 (%i: i64, %a: i64) {\n%b = add %a, %i : i64\nyield %b\n}\nstore %r, %p", []bool{false, false, false, false}},
	} {
		f, err := emit.Parse(head + c.body + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		f.Number()
		n := findNarrow(f)
		var have []bool
		each(f.Body, func(v *emit.Value) {
			if v.Type == emit.Int64 && !isConst(v) && (v.Op == nil || v.Op.Def.Name != "param") {
				have = append(have, n.has(v))
			}
		})
		if !slices.Equal(have, c.want) {
			t.Errorf("%s\nin 32 bits: %v, want %v", c.body, have, c.want)
		}
	}
}

// Lists of spans overlap if two of them do.
func TestMeet(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for range 100000 {
		lists := make([][]span, 2)
		for i := range lists {
			for range r.IntN(4) {
				from := r.IntN(20)
				lists[i] = append(lists[i], span{from, from + 1 + r.IntN(5)})
			}
			slices.SortFunc(lists[i], func(x, y span) int { return x.from - y.from })
		}
		want := false
		for _, x := range lists[0] {
			for _, y := range lists[1] {
				want = want || x.from < y.to && y.from < x.to
			}
		}
		if have := meet(lists[0], lists[1]); have != want {
			t.Fatalf("%v and %v: %v, want %v", lists[0], lists[1], have, want)
		}
	}
}
