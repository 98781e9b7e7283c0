package emit

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Instructions of no machine, for tests of what instructions can ask for.
var (
	testAcc  = Frag(Vector(F32, 1), 4)
	inFlight = Type{Elem: F32, Lanes: 1, Regs: 4, Async: true}

	_ = Declare(Instruction{Name: "test.tied", In: []Type{Int32, Int32}, Out: []Type{Int32}, Tied: []int{0}})
	_ = Declare(Instruction{Name: "test.swap", In: []Type{Int32, Int32}, Out: []Type{Int32, Int32}, Tied: []int{0, 1}})
	_ = Declare(Instruction{Name: "test.zero", Out: []Type{testAcc}})
	_ = Declare(Instruction{Name: "test.start", In: []Type{testAcc}, Out: []Type{inFlight}, Tied: []int{0}, Sync: Warpgroup})
	_ = Declare(Instruction{Name: "test.wait", In: []Type{inFlight}, Out: []Type{testAcc}, Tied: []int{0}})
	_ = Declare(Instruction{Name: "test.vote", In: []Type{Int32}, Out: []Type{Int32}, Sync: Warp, Uniform: Warp})
	_ = Declare(Instruction{Name: "test.barrier", Sync: CTA, Mem: Writes})
	_ = Declare(Instruction{Name: "test.move", In: []Type{Ptr, Int64}, Out: []Type{Ptr, Int64}, Tied: []int{0, 1}})
	_ = Declare(Instruction{Name: "test.ptr", In: []Type{Pointer(Shared, 16)}, Out: []Type{Pointer(Shared, 16)}})
)

// TestText pins the text form, one construct an operation.
func TestText(t *testing.T) {
	f, err := Build("demo", []Arg{{"a", Ptr, 0}, {"k", Int64, 8}, {"beta", Scalar(F32), 16}}, func(b *Builder) {
		p, k := b.Param("a", Ptr), b.Param("k", Int64)
		beta := b.Param("beta", Vector(F32, 16))
		b.Comment("in every lane")
		x := b.Load(Vector(F32, 16), Addr{p, k, 4, -16})
		m := b.MaskN(x.Type, k)
		sum := b.ForOnce(b.Int(0), k, 2, []*Value{x}, func(i *Value, c []*Value) []*Value {
			return []*Value{b.FMA(c[0], b.LoadMasked(x.Type, m, Addr{p, i, 8, 0}), beta)}
		})
		b.Comment("the main loop")
		half := b.Shuffle([]int{0, 9, 2, 11}, sum[0])
		b.If(b.Cmp("lt", k, b.Const(Int64, 3)), func() []*Value { b.Store(half, At(p, 0)); return nil }, nil)
		b.While([]*Value{k}, func(x []*Value) (*Value, []*Value) {
			return b.Cmp("gt", x[0], b.Int(0)), x
		}, func(x []*Value) []*Value { return []*Value{b.Sub(x[0], b.Int(1))} })
		b.Prefetch(1, At(p, 64))
		acc := b.Inst(LookupInstruction("test.zero"), 7)
		b.Inst(LookupInstruction("test.start"), 0, acc...)
		b.SReg("tid.x", Int32, Warp)
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Doc = "demo shows it all.\n\nTwice."
	want := `// demo shows it all.
//
// Twice.
func @demo(a: ptr @0, k: i64 @8, beta: f32 @16) {
  %0 = param {name="a"} : ptr
  %1 = param {name="k"} : i64
  %2 = param {name="beta"} : f32x16 // in every lane
  %3 = load %0, %1 {scale=4, off=-16} : f32x16
  %4 = maskn %1 : i1x16
  %5 = const : i64
  %6 = const {imm=2} : i64
  %11 = for %5, %1, %6, %3 {once} : f32x16 (%7: i64, %8: f32x16) { // the main loop
    %9 = loadm %4, %0, %7 {scale=8} : f32x16
    %10 = fma %8, %9, %2 : f32x16
    yield %10
  }
  %12 = shuffle %11 {perm=[0, 9, 2, 11]} : f32x4
  %13 = const {imm=3} : i64
  %14 = cmp %1, %13 {name="lt"} : i1
  if %14 {
    store %12, %0
    yield
  } else {
    yield
  }
  %21 = while %1 : i64 (%15: i64) {
    %16 = const : i64
    %17 = cmp %15, %16 {name="gt"} : i1
    yield %17, %15
  } do (%18: i64) {
    %19 = const {imm=1} : i64
    %20 = sub %18, %19 : i64
    yield %20
  }
  prefetch %0 {imm=1, off=64}
  %22 = inst "test.zero" {imm=7} : f32x1*4
  %23 = inst "test.start" %22 : async f32x1*4
  %24 = sreg {name="tid.x", level=warp} : i32
}
`
	if d := cmp.Diff(want, f.String()); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
	roundTrip(t, f)
	if got, want := f.Body.Ops[7].String(), `%11 = for %5, %1, %6, %3 {once} : f32x16`; got != want {
		t.Errorf("operation: %s, not %s", got, want)
	}
	if at := f.Body.Ops[7].Where(); !strings.HasPrefix(at, "parse_test.go:") {
		t.Errorf("the loop was built at %q", at)
	}
}

// roundTrip tests that the text of f reads back as the same text.
func roundTrip(t *testing.T, f *Func) {
	t.Helper()
	text := f.String()
	back, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if d := cmp.Diff(text, back.String()); d != "" {
		t.Errorf("round trip (-want +got):\n%s", d)
	}
}

func TestConstantsReadBackBitForBit(t *testing.T) {
	for _, x := range []float64{
		0, math.Copysign(0, -1), 1, -1.5, 0.1, math.Pi, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.NaN(), math.Float64frombits(0xfff0000000000001), math.Float64frombits(0x7ff8000012345678),
	} {
		f := &Func{Name: "c", Body: &Block{}}
		op := &Op{Def: Lookup("const"), Attr: Attr{F: x}}
		op.Results = []*Value{{Type: Scalar(F64), Op: op}}
		f.Body.Ops = []*Op{op}
		back, err := Parse(f.String())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := math.Float64bits(back.Body.Ops[0].Attr.F), math.Float64bits(x); got != want {
			t.Errorf("%v: %#x came back as %#x: %s", x, want, got, op)
		}
	}
	for _, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
		f := &Func{Name: "c", Body: &Block{}}
		op := &Op{Def: Lookup("const"), Attr: Attr{Imm: n}}
		op.Results = []*Value{{Type: Int64, Op: op}}
		f.Body.Ops = []*Op{op}
		back, err := Parse(f.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := back.Body.Ops[0].Attr.Imm; got != n {
			t.Errorf("%d came back as %d", n, got)
		}
	}
}

// TestOddNames: names that are not words, comments with newlines.
func TestOddNames(t *testing.T) {
	f := &Func{Name: "·odd \"name\"\xff", Doc: " indented\n", Args: []Arg{{"a b", Ptr, 0}}, Body: &Block{}}
	op := &Op{Def: Lookup("param"), Attr: Attr{Name: "a b"}, Comment: "two\nlines // and more "}
	op.Results = []*Value{{Type: Ptr, Op: op}}
	f.Body.Ops = []*Op{op}
	roundTrip(t, f)
	back, err := Parse(f.String())
	if err != nil {
		t.Fatal(err)
	}
	if back.Name != f.Name || back.Doc != f.Doc || back.Args[0] != f.Args[0] {
		t.Errorf("came back as %q, %q, %v", back.Name, back.Doc, back.Args)
	}
	if got, want := back.Body.Ops[0].Comment, "two lines // and more "; got != want {
		t.Errorf("comment %q, not %q", got, want)
	}
}

// TestParseIsFree: names, blanks, comments and newlines are the writer's.
func TestParseIsFree(t *testing.T) {
	f, err := Parse("\n// Doc.\n\nfunc@f ( a :ptr@0 ) {//x\r\n\n // skipped\n %p=param{name=\"a\"}:ptr// the pointer\r\n %v = const {f=0x1p-2}:f32x8\n\tstore %v,%p {off=0x40}\n} // end\n// after\n ")
	if err != nil {
		t.Fatal(err)
	}
	want := `// Doc.
func @f(a: ptr @0) {
  %0 = param {name="a"} : ptr // the pointer
  %1 = const {f=0.25} : f32x8
  store %1, %0 {off=64}
}
`
	if d := cmp.Diff(want, f.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSyntaxErrors(t *testing.T) {
	in := func(body string) string { return "func @f(a: ptr @0) {\n" + body + "\n}\n" }
	for _, c := range []struct{ text, want string }{
		{"", "1:1: found the end of the text; want func @name(arguments) {"},
		{"fun @f() {\n}", `1:1: found "fun"; want func`},
		{"func f() {\n}", `1:6: found "f"; want @`},
		{"func @f(a ptr) {\n}", `1:11: found "ptr"; want :`},
		{"func @f(a: pointer @0) {\n}", `1:12: "pointer" is not a type; types look like f32,`},
		{"func @f(a: ptr 0) {\n}", `1:16: found "0"; want @`},
		{"func @f() {", `1:12: found the end of the text; want } or an operation`},
		{"func @f() {\n}\nfunc", `3:1: found "func"; want the end of the line`},
		{"func @f() {\n}\n\x00", `3:1: found '\x00'; want the end of the line`},
		{in(" frob %a"), `2:2: found "frob"; want } or an operation: add addp and`},
		{in(" %1 = const {imm=1}"), `2:20: found the end of the line; want :`},
		{in(" %1, %2 = const {imm=1} : i64"), `2:2: 2 results with 1 types`},
		{in(" %1 = const : i65"), `2:15: "i65" is not a type`},
		{in(" %1 = const : f32x65536*65536"), `2:15: "f32x65536*65536" is not a type`},
		{in(" %1 = const : f32x4294967296*4294967296"), `is not a type`},
		{in(" %1 = const {imm=x} : i64"), `2:18: x is not an integer`},
		{in(" %1 = const {imm=} : i64"), `2:18: found '}'; want an integer`},
		{in(" %1 = const {imm=9223372036854775808} : i64"), `is not an integer of 64 bits`},
		{in(" %1 = const {f=1e999} : f64"), `2:16: 1e999 is not a number; numbers look like`},
		{in(" %1 = const {im=1} : i64"), `2:14: found "im"; want an attribute: name, imm, f`},
		{in(" %1 = const {imm=1, imm=2} : i64"), `2:21: attribute imm stands twice`},
		{in(` %1 = sreg {name="tid, level=warp} : i32`), `2:18: the quoted string does not end`},
		{in(` %1 = sreg {name=tid} : i32`), `2:18: found "tid"; want a quoted string`},
		{in(` %1 = sreg {name="tid", level=block} : i32`), `"block" is not a level; the levels are thread, warp, warpgroup, cta`},
		{in(` %1 = inst "no.such" : i32`), `2:12: there is no instruction "no.such"`},
		{in(" store %x, %y"), `2:8: %x is not defined before its use`},
		{in(" % = const : i64"), `2:2: a value looks like %7 or %sum`},
		{in(" %1 = const : i64\n %1 = const : i64"), `3:2: %1 is defined twice`},
		{in(" %1 = const : i64 %2"), `2:19: found '%'; want the end of the line`},
		{in(" %1 = const : i1\n if %1 {\n yield\n } do {\n yield\n }"), `5:4: found "do"; want the end of the line`},
		{in(" %1 = const : i1\n if %1 {\n yield\n } else {\n yield\n } else {\n"), `7:8: if has no further block`},
		{in(strings.Repeat(" if %1 {\n", 70)), `%1 is not defined`},
		{in(" %1 = const : i1\n" + strings.Repeat(" if %1 {\n", 70)), `67:1: blocks nest deeper than 64`},
		{in(" %1 = const : i1\n yield " + strings.Repeat("%1,", 5000)), `more than 4096 operands`},
		{in(" %1 = shuffle {perm=[0,1"), `2:25: found the end of the line; want ]`},
	} {
		f, err := Parse(c.text)
		switch {
		case err == nil:
			t.Errorf("%q was read as\n%s", c.text, f)
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("%.80q: %v; want %s", c.text, err, c.want)
		}
	}
}

// TestParseChecks: what Check refuses has the place in the text.
func TestParseChecks(t *testing.T) {
	_, err := Parse("func @f() {\n  %x = const {imm=1} : i64\n  %y = add %x, %x : f32\n}\n")
	want := "f (3:3): %1 = add %0, %0 : f32: operand is i64, result is f32"
	if err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("func @f(a: ptr @0) {\n  %0 = param {name=\"a\"} : ptr // p\n  store %0, %0 {off=-8}\n}\n")
	f.Add("// d\nfunc @\"x y\"() {\n  %0 = const {f=0d7ff8000000000001} : f64x2\n  %1 = const {f=-0} : e4m3\n}\n")
	f.Add("func @f() {\n%l = const : i32\n%s = const {imm=1} : i32\n%r = for %l, %s, %s, %l {once} : i32 (%i: i32, %c: i32) { // n\nyield %i\n}\n}")
	f.Add("func @f() {\n%c = const {imm=1} : i1\n%r = if %c : i1 {\nyield %c\n} else {\nyield %c\n}\n%w = while %r : i1 (%x: i1) {\nyield %c, %x\n} do (%y: i1) {\nyield %y\n}\n}")
	f.Add("func @f() {\n%z = inst \"test.zero\" {imm=1} : f32x1*4\n%a = inst \"test.start\" %z : async f32x1*4\n%b = sreg {name=\"t\", level=cta} : i32\n}")
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := parse(text)
		if err != nil {
			return
		}
		once := fn.String()
		again, err := parse(once)
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if d := cmp.Diff(once, again.String()); d != "" {
			t.Fatalf("round trip (-want +got):\n%s", d)
		}
		if fn.Check() != nil {
			return
		}
		fn.Uniformity()
		if err := Run(fn, []Pass{{"fold", Fold}, {"addr", FoldAddresses}, {"dce", DeadCode}}, nil); err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
	})
}
