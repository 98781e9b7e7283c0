package emit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPasses has functions before and after a pass. The body is wrapped in a
// function with a pointer p and an integer n; the wanted text has the numbers that
// Number gives.
func TestPasses(t *testing.T) {
	fold, addr, dce := Pass{"fold", Fold}, Pass{"addr", FoldAddresses}, Pass{"dce", DeadCode}
	const params = "%p = param {name=\"p\"} : ptr\n%n = param {name=\"n\"} : i64\n"
	for _, c := range []struct {
		name          string
		passes        []Pass
		before, after string
	}{
		{"integers", []Pass{fold, dce}, `
%a = const {imm=200} : i8
%b = const {imm=100} : i8
%c = add %a, %b : i8
%d = zext %c : i32
%m = splat %d : i32x4
%o = const {imm=7} : i32x4
%s = cmp %m, %o {name="lt"} : i1x4
%r = select %s, %o, %m : i32x4
store %r, %p
%e = trunc %n : i8
%f = shl %e, %c : i8
store %f, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const {imm=44} : i8
  %3 = const {imm=44} : i32x4
  store %3, %0
  %4 = trunc %1 : i8
  %5 = shl %4, %2 : i8
  store %5, %0
`},
		{"floats round once", []Pass{fold, dce}, `
%a = const {f=1} : f32x8
%b = const {f=3} : f32x8
%c = div %a, %b : f32x8
%z = const {f=-0} : f32x8
%d = add %c, %z : f32x8
store %d, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = const {f=0.3333333432674408} : f32x8
  store %1, %0
`},
		{"what has no meaning or is NaN stays", []Pass{fold}, `
%a = const {imm=64} : i64
%z = const : i64
%b = shl %a, %a : i64
%c = udiv %a, %z : i64
%d = urem %a, %z : i64
%f = const {f=+Inf} : f32
%g = sub %f, %f : f32
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const {imm=64} : i64
  %3 = const : i64
  %4 = shl %2, %2 : i64
  %5 = udiv %2, %3 : i64
  %6 = urem %2, %3 : i64
  %7 = const {f=+Inf} : f32
  %8 = sub %7, %7 : f32
`},
		{"identities", []Pass{fold, dce}, `
%0 = const : i64
%1 = const {imm=1} : i64
%a = add %0, %n : i64
%b = mul %a, %1 : i64
%c = mul %1, %b : i64
%d = shl %c, %0 : i64
%e = sub %d, %0 : i64
%f = udiv %e, %1 : i64
%q = addp %p, %0 : ptr
store %f, %q
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  store %1, %0
`},
		{"not identities", []Pass{fold, dce}, `
%m = cmp %n, %n {name="lt"} : i1
%0 = const : i64
%a = sub %0, %n : i64
%b = shl %0, %n : i64
%z = const : f64
%x = load %p : f64
%y = add %x, %z : f64
%c = select %m, %a, %b : i64
store %c, %p
store %y, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = cmp %1, %1 {name="lt"} : i1
  %3 = const : i64
  %4 = sub %3, %1 : i64
  %5 = shl %3, %1 : i64
  %6 = const : f64
  %7 = load %0 : f64
  %8 = add %7, %6 : f64
  %9 = select %2, %4, %5 : i64
  store %9, %0
  store %8, %0
`},
		{"if on a constant", []Pass{fold, dce}, `
%1 = const {imm=1} : i64
%2 = const {imm=2} : i64
%c = cmp %1, %2 {name="gt"} : i1
%r = if %c : i64 {
  yield %1
} else {
  %d = cmp %1, %2 {name="ne"} : i1
  %s = if %d : i64 {
    store %n, %p
    yield %n
  } else {
    yield %2
  }
  %t = add %s, %2 : i64
  yield %t
}
store %r, %p {off=8}
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const {imm=2} : i64
  store %1, %0
  %3 = add %1, %2 : i64
  store %3, %0 {off=8}
`},
		{"a tied value is not merged with a used one", []Pass{fold}, `
%i = trunc %n : i32
%0 = const : i32
%j = add %i, %0 : i32
%k = inst "test.tied" %j, %i : i32
store %i, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = trunc %1 : i32
  %3 = const : i32
  %4 = add %2, %3 : i32
  %5 = inst "test.tied" %4, %2 : i32
  store %2, %0
`},
		{"nor the other way round", []Pass{fold}, `
%i = trunc %n : i32
%1 = const {imm=1} : i1
%j = if %1 : i32 {
  yield %i
} else {
  yield %i
}
%k = inst "test.tied" %i, %j : i32
store %j, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = trunc %1 : i32
  %3 = const {imm=1} : i1
  %4 = if %3 : i32 {
    yield %2
  } else {
    yield %2
  }
  %5 = inst "test.tied" %2, %4 : i32
  store %4, %0
`},
		{"a pointer keeps the alignment it was given", []Pass{fold}, `
%0 = const : i64
%q = addp %p, %0 : ptr..1
%r = copy %q : ptr..1
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const : i64
  %3 = addp %0, %2 : ptr..1
  %4 = copy %3 : ptr..1
`},
		{"an address does not read overwritten registers", []Pass{addr}, `
%8 = const {imm=8} : i64
%q = copy %p : ptr
%m = copy %n : i64
%a = addp %q, %8 : ptr
%b = mul %m, %8 : i64
%c = addp %p, %b : ptr
%x, %y = inst "test.move" %q, %m : ptr, i64
store %8, %a
store %8, %c
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const {imm=8} : i64
  %3 = copy %0 : ptr
  %4 = copy %1 : i64
  %5 = addp %3, %2 : ptr
  %6 = mul %4, %2 : i64
  %7 = addp %0, %6 : ptr
  %8, %9 = inst "test.move" %3, %4 : ptr, i64
  store %2, %5
  store %2, %7
`},
		{"addresses", []Pass{addr, dce}, `
%c = const {imm=64} : i64
%k = const {imm=3} : i64
%q = addp %p, %c : ptr
%s = shl %n, %k : i64
%r = addp %q, %s : ptr
%x = load %r {off=-4} : f32
%y = load %q, %n {scale=2, off=1} : f32
%8 = const {imm=4} : i64
%t = mul %8, %n : i64
%u = addp %p, %t : ptr
%m = maskn %n : i1x4
%v = loadm %m, %u : f32x4
storem %v, %m, %u, %n {scale=1}
prefetch %r {imm=1}
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = load %0, %1 {scale=8, off=60} : f32
  %3 = load %0, %1 {scale=2, off=65} : f32
  %4 = const {imm=4} : i64
  %5 = mul %4, %1 : i64
  %6 = addp %0, %5 : ptr
  %7 = maskn %1 : i1x4
  %8 = loadm %7, %0, %1 {scale=4} : f32x4
  storem %8, %7, %6, %1 {scale=1}
  prefetch %0, %1 {imm=1, scale=8, off=64}
`},
		{"addresses that do not fold", []Pass{addr}, `
%c = const {imm=2147483647} : i64
%q = addp %p, %c : ptr
%x = load %q {off=1} : i64
%3 = const {imm=3} : i64
%t = mul %n, %3 : i64
%u = addp %p, %t : ptr
store %u, %u
%4 = const {imm=4} : i64
%w = shl %n, %4 : i64
%v = addp %p, %w : ptr
store %x, %v
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const {imm=2147483647} : i64
  %3 = addp %0, %2 : ptr
  %4 = load %3 {off=1} : i64
  %5 = const {imm=3} : i64
  %6 = mul %1, %5 : i64
  %7 = addp %0, %6 : ptr
  store %7, %7
  %8 = const {imm=4} : i64
  %9 = shl %1, %8 : i64
  %10 = addp %0, %9 : ptr
  store %4, %10
`},
		{"the stored pointer is not the address", []Pass{addr}, `
%c = const {imm=8} : i64
%q = addp %p, %c : ptr
store %q, %q
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const {imm=8} : i64
  %3 = addp %0, %2 : ptr
  store %3, %0 {off=8}
`},
		{"unused", []Pass{dce}, `
%a = add %n, %n : i64
%b = mul %a, %a : i64
%c = load %p : i64
%z = inst "test.zero" : f32x1*4
`, `
  %0 = param {name="p"} : ptr
  %1 = load %0 : i64
`},
		{"carried for nobody", []Pass{dce}, `
%0 = const : i64
%1 = const {imm=1} : i64
%a, %b, %c, %d = for %0, %n, %1, %n, %0, %1, %1 : i64, i64, i64, i64 (%i: i64, %w: i64, %x: i64, %y: i64, %z: i64) {
  %e = add %w, %i : i64
  %f = add %x, %1 : i64
  %g = add %y, %z : i64
  store %f, %p
  yield %e, %f, %g, %y
}
store %d, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const : i64
  %3 = const {imm=1} : i64
  %10, %11, %12 = for %2, %1, %3, %2, %3, %3 : i64, i64, i64 (%4: i64, %5: i64, %6: i64, %7: i64) {
    %8 = add %5, %3 : i64
    %9 = add %6, %7 : i64
    store %8, %0
    yield %8, %9, %6
  }
  store %12, %0
`},
		{"loops and ifs without effect", []Pass{dce}, `
%0 = const : i64
%c = cmp %n, %0 {name="gt"} : i1
if %c {
  %r = for %0, %n, %n, %n : i64 (%i: i64, %x: i64) {
    yield %i
  }
  yield
} else {
  yield
}
%a, %b = if %c : i64, i64 {
  %x1 = add %n, %n : i64
  yield %x1, %0
} else {
  yield %n, %n
}
store %b, %p
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const : i64
  %3 = cmp %1, %2 {name="gt"} : i1
  %4 = if %3 : i64 {
    yield %2
  } else {
    yield %1
  }
  store %4, %0
`},
		{"while", []Pass{dce}, `
%0 = const : i64
%a, %b = while %n, %0, %0 : i64, i64 (%x: i64, %y: i64, %z: i64) {
  %c = cmp %x, %0 {name="gt"} : i1
  %k = add %y, %y : i64
  yield %c, %k, %x
} do (%u: i64, %v: i64) {
  store %v, %p
  %d = sub %v, %v : i64
  yield %d, %u, %u
}
`, `
  %0 = param {name="p"} : ptr
  %1 = param {name="n"} : i64
  %2 = const : i64
  %7 = while %1 : i64 (%3: i64) {
    %4 = cmp %3, %2 {name="gt"} : i1
    yield %4, %3
  } do (%5: i64) {
    store %5, %0
    %6 = sub %5, %5 : i64
    yield %6
  }
`},
	} {
		f, err := Parse("func @f(p: ptr @0, n: i64 @8) {\n" + params + c.before + "}\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := Run(f, c.passes, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := "func @f(p: ptr @0, n: i64 @8) {" + c.after + "}\n"
		if d := cmp.Diff(want, f.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		roundTrip(t, f)
	}
}

// TestRun: every pass is shown, and one that breaks the function is named.
func TestRun(t *testing.T) {
	parsed := func() *Func {
		f, err := Parse("func @f() {\n%x = const : i32\n%y = copy %x : i32\n}")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var seen []string
	dump := func(after string, f *Func) { seen = append(seen, after+" "+f.String()) }
	breaks := Pass{"breaks", func(f *Func) error { f.Body.Ops = f.Body.Ops[1:]; return nil }}
	f := parsed()
	err := Run(f, []Pass{{"nothing", func(*Func) error { return nil }}, breaks, {"late", DeadCode}}, dump)
	if want := "after pass breaks: f (3:1): %0 = copy %0 : i32: %0 is not defined before its use"; err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	if AsError(err) == nil {
		t.Errorf("%v is no *Error", err)
	}
	want := []string{
		"nothing func @f() {\n  %0 = const : i32\n  %1 = copy %0 : i32\n}\n",
		"breaks func @f() {\n  %0 = copy %? : i32\n}\n",
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("dumps (-want +got):\n%s", d)
	}

	no := errors.New("no")
	if err := Run(parsed(), []Pass{{"fails", func(*Func) error { return no }}}, nil); !errors.Is(err, no) || !strings.HasPrefix(err.Error(), "pass fails: ") {
		t.Errorf("%v", err)
	}
}
