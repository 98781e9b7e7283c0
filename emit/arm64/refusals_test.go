package arm64

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// TestRefusals: what has no row, and values that no register holds.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"%v = load %p : f32x8\nstore %v, %p", "a value is f32x8: vectors on neon have 32, 64 or 128 bits"},
		{"%v = load %p : i8x2\nstore %v, %p", "a value is i8x2: vectors on neon have 32, 64 or 128 bits"},
		{"%v = load %p : f32x3\nstore %v, %p", "a value is f32x3: vectors on neon have 32, 64 or 128 bits"},
		{"%v = load %p : e4m3x16\nstore %v, %p", "a value is e4m3x16: arm64 has no 8-bit floats"},
		{"%v = load %p : bf16\nstore %v, %p", "a value is bf16: 16-bit floats are in vectors only on arm64"},
		{"%v = load %p : f16x8\n%w = add %v, %v : f16x8\nstore %w, %p", "arm64 computes on f32 and f64 here, not on f16x8; convert with cvt"},
		{"%v = load %p : f16x8\n%w = fma %v, %v, %v : f16x8\nstore %w, %p", "arm64 computes on f32 and f64 here, not on f16x8; convert with cvt"},
		{"%v = load %p : f16x8\n%w = max %v, %v : f16x8\nstore %w, %p", "arm64 computes on f32 and f64 here, not on f16x8; convert with cvt"},
		{"%v = load %p : bf16x8\n%w = sqrt %v : bf16x8\nstore %w, %p", "arm64 computes on f32 and f64 here, not on bf16x8; convert with cvt"},
		{"%a = load %p : f64x2\n%b = cvt %a {name=\"rne\"} : f16x2\nstore %b, %p", "conversion of f64x2 to f16x2 has no instruction on neon"},
		{"%a = load %p : f64x2\n%b = cvt %a {name=\"rne\"} : bf16x2\nstore %b, %p", "conversion of f64x2 to bf16x2 has no instruction on neon"},
		{"%a = load %p : i8\n%b = cvt %a {name=\"rne\"} : f32\nstore %b, %p", "conversion of a scalar i8 to f32 has no instruction on arm64"},
		{"%c = cmp %n, %k {name=\"lt\"} : i1\n%a = loadm %c, %p : f32\nstore %a, %p", "a masked load of a scalar has no row on arm64; branch"},
		{"%c = cmp %n, %k {name=\"lt\"} : i1\n%a = load %p : f32\nstorem %a, %c, %p", "a masked store of a scalar has no row on arm64; branch"},
		{"%b = sat %n {name=\"u\"} : i8\nstore %b, %p", "saturation of a scalar has no row on arm64; use imin and imax"},
		{"%a = load %p : i8\n%b = add %a, %a : i8\nstore %b, %p", "integer arithmetic in general registers is of i32 and i64 on arm64, not of i8"},
		{"%a = load %p : i8\n%b = shl %a, %a : i8\nstore %b, %p", "shifts in general registers are of i32 and i64 on arm64, not of i8"},
		{"%a = load %p : i16\n%b = udiv %a, %a : i16\nstore %b, %p", "division in general registers is of i32 and i64 on arm64, not of i16"},
		{"%a = load %p : i16\n%b = umulh %a, %a : i16\nstore %b, %p", "products in general registers have upper halves of i32 and i64 on arm64, not of i16"},
		{"%a = load %p : i16\n%b = popcnt %a : i16\nstore %b, %p", "bits are counted in i32, i64 and vectors, not in i16"},
		{"%a = load %p : i16\n%b = clz %a : i16\nstore %b, %p", "bits are counted in i32, i64 and vectors, not in i16"},
		{"%a = load %p : i16\n%b = imin %a, %a : i16\nstore %b, %p", "conditions compare i32 or i64 on arm64, not i16"},
		{"%m = maskn %n : i1x4\n%c = cmp %m, %m {name=\"eq\"} : i1x4\n%a = loadm %c, %p : f32x4\nstore %a, %p", "comparison of masks has no row on arm64; use and, or, xor"},
		{"%m = maskn %n : i1x3\n%a = loadm %m, %p : f32x3\nstore %a, %p", "masks on neon have 2, 4, 8 or more lanes by powers of two, at most 16"},
		{"%m = maskn %n : i1x32\n%a = loadm %m, %p : i8x32\nstore %a, %p", "masks on neon have 2, 4, 8 or more lanes by powers of two, at most 16"},
		{"%b = maskof %n : i1x32\n%c = maskbits %b : i64\nstore %c, %p", "a value is i1x32: masks on neon have 2, 4, 8 or 16 lanes"},
		{"%0 = const : i32\n%1 = const {imm=1} : i32\n%n2 = trunc %n : i32\nfor %0, %n2, %1 (%i: i32) {\nstore %i, %p\nyield\n}", "loops count in i64 on arm64, not in i32"},
		{"prefetch %p {imm=2}", "prefetch level is 2, not 0 (L1) or 1 (L2)"},
		{"%0 = const : i64\nfor %0, %n, %k (%i: i64) {\nstore %n, %p\nyield\n}", "the step must be a constant from 1 to 2^31-1 on arm64"},
		{"%0 = const : i64\n%s = const {imm=2147483648} : i64\nfor %0, %n, %s (%i: i64) {\nstore %n, %p\nyield\n}", "the step must be a constant from 1 to 2^31-1 on arm64"},
		{"%c = cmp %n, %k {name=\"lt\"} : i1\n%d = cmp %n, %k {name=\"gt\"} : i1\n%e = and %c, %d : i1\n%s = select %e, %n, %k : i64\nstore %s, %p", "logic on conditions has no row on arm64; select or branch twice"},
		{"%c = cmp %n, %k {name=\"lt\"} : i1\n%d = cmp %n, %k {name=\"gt\"} : i1\n%e = select %c, %c, %d : i1\n%s = select %e, %n, %k : i64\nstore %s, %p", "select of conditions has no row on arm64"},
		{"%x = param {name=\"x\"} : f32\n%c = cmp %x, %x {name=\"lt\"} : i1\n%s = select %c, %n, %k : i64\nstore %s, %p", "conditions compare i32 or i64 on arm64, not f32"},
		{"%a = load %p : f32x4\n%b = shuffle %a, %a {perm=[0, 1]} : f32x2\nstore %b, %p", "shuffles of f32x4 into f32x2 have no row on arm64"},
		{"%a = load %p : i64\n%b = table %a {table=[1, 2]} : f64\nstore %b, %p", "a table is looked up in vectors only on arm64"},
		{"%0 = const : i64\n%1 = const {imm=1} : i64\n%c = cmp %n, %k {name=\"lt\"} : i1\n" +
			"%d = for %0, %n, %1, %c : i1 (%i: i64, %x: i1) {\n%y = cmp %i, %k {name=\"lt\"} : i1\nyield %y\n}\n%s = select %d, %n, %k : i64\nstore %s, %p",
			"the condition is not made by a comparison; arm64 keeps no truth values in registers"},
		{"%a = load %p : i32x4\n%x = load %p : i8x16\n%r = inst \"amd64.VPDPBUSD.4\" %a, %x, %x : i32x4\nstore %r, %p", "amd64.VPDPBUSD.4 is not an arm64 instruction"},
	} {
		_, err := assemble(t, c.body)
		e := emit.AsError(err)
		if e == nil || e.Func != "f" || e.Op == "" || e.Why != c.want {
			t.Errorf("%s\nhave %v\nwant f (...): ...: %s", c.body, err, c.want)
		}
	}
}
