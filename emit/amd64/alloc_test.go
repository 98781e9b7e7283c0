package amd64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// No two live values of a random program share a register.
func TestAllocation(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("many random functions")
	}
	suite.CheckRandom(t, level.Of(0, 150, 300), AVX2, AVX512)
}

// No two live values of a random mix share a register, but bitcasts of one.
func TestMixedAllocation(t *testing.T) {
	suite.CheckMixed(t, level.Of(30, 100, 200), AVX2, AVX512)
}

// TestVectorAllocation: no two live values of these programs share a register.
func TestVectorAllocation(t *testing.T) {
	targets := []emit.Target{AVX2, AVX512}
	suite.CheckVector(t, targets[:level.Of(1, 2, 2)]...)
}

// TestSpill: without leave they are refused, as too large tiles are, and with it no two
// values that are needed share a register.
func TestSpill(t *testing.T) {
	targets := []emit.Target{AVX2, AVX512}
	suite.CheckSpill(t, func(p asmtest.Program) bool { return p.Target == AVX2 }, targets[:level.Of(1, 2, 2)]...)
}

// The verifier finds an allocation that is wrong: with two webs of one class, both
// needed somewhere, thrown together.
func TestVerifierSees(t *testing.T) { suite.CheckVerifier(t, AVX512) }

// tile is the text of a kernel that keeps mr*nv accumulators, nv vectors and one
// broadcast in registers.
func tile(mr, nv int) string {
	var b strings.Builder
	list := func(format string, n int) string {
		var s []string
		for i := range n {
			s = append(s, strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return strings.Join(s, ", ")
	}
	n := mr * nv
	fmt.Fprintf(&b, "%%0 = const : i64\n%%1 = const {imm=1} : i64\n%%z = const : f32x8\n")
	fmt.Fprintf(&b, "%s = for %%0, %%n, %%1, %s : %s (%%i: i64, %s) {\n", list("%r#", n), list("%z", n), list("f32x8", n), list("%x#: f32x8", n))
	for j := range nv {
		fmt.Fprintf(&b, "%%b%d = load %%p {off=%d} : f32x8\n", j, 32*j)
	}
	for i := range mr {
		fmt.Fprintf(&b, "%%a%d = loadb %%p {off=%d} : f32x8\n", i, 4*i)
		for j := range nv {
			at := i*nv + j
			fmt.Fprintf(&b, "%%y%d = fma %%x%d, %%a%d, %%b%d : f32x8\n", at, at, i, j)
		}
	}
	fmt.Fprintf(&b, "yield %s\n}\n", list("%y#", n))
	for i := range n {
		fmt.Fprintf(&b, "store %%r%d, %%p {off=%d}\n", i, 32*i)
	}
	return b.String()
}

func repeatLines(format string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)) + "\n")
	}
	return b.String()
}

// A kernel with too many live values is refused by name: function, operation,
// how many, how many there are.
func TestOverBudget(t *testing.T) {
	cycle := "%0 = const : i64\n%1 = const {imm=1} : i64\n" + repeatLines("%v# = load %p {off=#} : f32x8", 16) +
		"%a, %b = for %0, %n, %1, %v0, %v1 : f32x8, f32x8 (%i: i64, %x: f32x8, %y: f32x8) {\nyield %y, %x\n}\nstore %a, %p\nstore %b, %p\n" +
		repeatLines("store %v#, %p", 16)
	cycle = strings.NewReplacer("store %v0, %p\n", "", "store %v1, %p\n", "").Replace(cycle)
	for _, c := range []struct {
		name     string
		target   emit.Target
		body     string
		op, want string // op: the beginning of the operation's text; want "": accepted
	}{
		{"6 x 2 fits 16", AVX2, tile(6, 2), "", ""},
		{"6 x 4 in 32", AVX512, tile(6, 4), "", ""},
		{"6 x 4 in 16", AVX2, tile(6, 4), "%34 = loadb", "29 vector registers are needed at once, avx2 has 16"},
		{"7 x 4 + 4 + 1 in 32", AVX512, tile(7, 4), "%38 = loadb", "33 vector registers are needed at once, avx512 has 32"},
		{"integers", AVX2, repeatLines("%i# = load %p {off=#} : i64", 13) + repeatLines("store %i#, %p", 13),
			"%13 = load", "14 general registers are needed at once, avx2 has 13"},
		{"masks", AVX512, repeatLines("%m# = maskn %n : i1x16", 8) + "%v = load %p : f32x16\n" + repeatLines("storem %v, %m#, %p", 8),
			"%25 = inst", "8 mask registers are needed at once, avx512 has 7"},
		{"vectors that trade places with none free", AVX2, cycle,
			"%23, %24 = for", "values trade places (1->0 0->1); that needs one more register, and none is free"},
	} {
		_, err := assemble(t, c.target, c.body)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		e := emit.AsError(err)
		if e == nil {
			t.Errorf("%s: error is %v, want an *emit.Error", c.name, err)
			continue
		}
		if e.Func != "f" || !strings.HasPrefix(e.Op, c.op) || e.Where == "" || e.Why != c.want {
			t.Errorf("%s:\nhave %v\nwant f (...): %s...: %s", c.name, err, c.op, c.want)
		}
	}
}

// What has no row, and values that no register holds.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		target     emit.Target
		body, want string
	}{
		{AVX2, "%v = load %p : f32x16\nstore %v, %p", "a value is f32x16: vectors on avx2 have 32 bits or a multiple by a power of two, at most 256"},
		{AVX512, "%v = load %p : f32x3\nstore %v, %p", "a value is f32x3: vectors on avx512 have 32 bits or a multiple by a power of two, at most 512"},
		{AVX512, "%v = load %p : i8x2\nstore %v, %p", "a value is i8x2: vectors on avx512 have 32 bits or a multiple by a power of two, at most 512"},
		{AVX512, "%v = load %p : e4m3x16\nstore %v, %p", "a value is e4m3x16: amd64 has no 8-bit floats"},
		{AVX512, "%v = load %p : bf16\nstore %v, %p", "a value is bf16: amd64 has 16-bit floats in vectors only"},
		{AVX512, "%v = load %p : f16x8\n%w = add %v, %v : f16x8\nstore %w, %p", "amd64 computes on f32 and f64, not on f16x8; convert with cvt"},
		{AVX512, "%a = load %p : i64\n%b = udiv %a, %n : i64\nstore %b, %p", "udiv has no instruction on avx512"},
		{AVX512, "%a = load %p : i8x64\n%b = mul %a, %a : i8x64\nstore %b, %p", "multiplication of i8x64 has no instruction on avx512"},
		{AVX2, "%a = load %p : i16x16\n%b = shr %a, %a : i16x16\nstore %b, %p", "shifts of i16x16 have no instruction on avx2"},
		{AVX512, "%a = load %p : i8x64\n%b = shl %a, %a : i8x64\nstore %b, %p", "shifts of i8x64 have no instruction on avx512"},
		{AVX2, "%a = load %p : i32x8\n%b = udiv %a, %a : i32x8\nstore %b, %p", "the division of i32x8 takes 64 bits a lane, more than avx2 has; use fewer lanes"},
		{AVX512, "%a = load %p : i8x64\n%b = umulh %a, %a : i8x64\nstore %b, %p", "the upper half of a product of i8x64 has no instruction on avx512"},
		{AVX512, "%a = load %p : i8x64\n%b = popcnt %a : i8x64\nstore %b, %p", "bits are counted in i32, i64 and vectors whose lanes fit a register as 16-bit lanes, not in i8x64"},
		{AVX512, "%a = load %p : f64x8\n%b = cvt %a {name=\"rne\"} : f16x8\nstore %b, %p", "conversion of f64x8 to f16x8 has no instruction on avx512"},
		{AVX512, "%a = load %p : f64x8\n%b = cvt %a {name=\"rne\"} : bf16x8\nstore %b, %p", "conversion of f64x8 to bf16x8 has no instruction on avx512"},
		{AVX512, "%a = load %p : i8\n%b = cvt %a {name=\"rne\"} : f32\nstore %b, %p", "conversion of a scalar i8 to f32 has no instruction on amd64"},
		{AVX512, "%b = sat %n {name=\"u\"} : i8\nstore %b, %p", "saturation of a scalar has no row on amd64; use imin and imax"},
		{AVX512, "%a = load %p : i8\n%b = add %a, %a : i8\nstore %b, %p", "integer arithmetic in general registers is of i32 and i64 on amd64, not of i8"},
		{AVX512, "%a = load %p : i8\n%b = shl %a, %a : i8\nstore %b, %p", "shifts in general registers are of i32 and i64 on amd64, not of i8"},
		{AVX512, "%m = maskn %n : i1x4\n%c = cmp %m, %m {name=\"eq\"} : i1x4\n%a = loadm %c, %p : f32x4\nstore %a, %p", "comparison of masks has no row on amd64; use and, or, xor"},
		{AVX512, "%m = maskn %n : i1x3\n%a = loadm %m, %p : f32x3\nstore %a, %p", "masks on avx512 have 2, 4, 8, 16, 32 or 64 lanes"},
		{AVX2, "%m = maskn %n : i1x64\n%a = loadm %m, %p : i8x64\nstore %a, %p", "masks on avx2 have 2, 4, 8 or more lanes by powers of two, at most 32"},
		{AVX2, "%0 = const : i32\n%1 = const {imm=1} : i32\n%n2 = trunc %n : i32\nfor %0, %n2, %1 (%i: i32) {\nstore %i, %p\nyield\n}", "loops count in i64 on amd64, not in i32"},
		{AVX2, "prefetch %p {imm=2}", "prefetch level is 2, not 0 (L1) or 1 (L2)"},
		{AVX2, "%0 = const : i64\nfor %0, %n, %k (%i: i64) {\nstore %n, %p\nyield\n}", "the step must be a constant from 1 to 2^31-1 on amd64"},
		{AVX2, "%0 = const : i64\n%s = const {imm=2147483648} : i64\nfor %0, %n, %s (%i: i64) {\nstore %n, %p\nyield\n}", "the step must be a constant from 1 to 2^31-1 on amd64"},
		{AVX2, "%c = cmp %n, %k {name=\"lt\"} : i1\n%d = cmp %n, %k {name=\"gt\"} : i1\n%e = and %c, %d : i1\n%s = select %e, %n, %k : i64\nstore %s, %p", "logic on conditions has no row on amd64; select or branch twice"},
		{AVX2, "%x = param {name=\"x\"} : f32\n%c = cmp %x, %x {name=\"lt\"} : i1\n%s = select %c, %n, %k : i64\nstore %s, %p", "conditions compare i32 or i64 on amd64, not f32"},
		{AVX2, "%0 = const : i64\n%1 = const {imm=1} : i64\n%c = cmp %n, %k {name=\"lt\"} : i1\n" +
			"%d = for %0, %n, %1, %c : i1 (%i: i64, %x: i1) {\n%y = cmp %i, %k {name=\"lt\"} : i1\nyield %y\n}\n%s = select %d, %n, %k : i64\nstore %s, %p",
			"the condition is not made by a comparison; amd64 keeps no truth values in registers"},
	} {
		_, err := assemble(t, c.target, c.body)
		e := emit.AsError(err)
		if e == nil || e.Func != "f" || e.Op == "" || e.Why != c.want {
			t.Errorf("%s\nhave %v\nwant f (...): ...: %s", c.body, err, c.want)
		}
	}
}
