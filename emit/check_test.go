package emit

import (
	"math"
	"strings"
	"testing"
)

func TestCheckRefuses(t *testing.T) {
	const i = "%i = const {imm=1} : i32\n"
	const loop = i + "%lo = const : i64\n%n = const {imm=8} : i64\n%s = const {imm=1} : i64\n"
	const tid = "%t = sreg {name=\"tid\"} : i32\n%k = const {imm=1} : i32\n%c = cmp %t, %k {name=\"lt\"} : i1\n"
	for _, c := range []struct{ name, body, want string }{
		// Structure and visibility.
		{"scope", "%c = const : i1\nif %c {\n%x = const : i32\nyield\n} else {\nyield\n}\n%y = add %x, %x : i32",
			"(9:1): %2 = add %1, %1 : i32: %1 is used outside the block that defines it; let that block yield it"},
		{"no yield", "%c = const : i1\nif %c {\n} else {\nyield\n}", "block 0 does not end in a yield"},
		{"early yield", "%c = const : i1\nif %c {\nyield\nyield\n} else {\nyield\n}", "a yield ends a block that an operation owns and stands nowhere else"},
		{"yield of the body", "yield", "stands nowhere else"},
		{"blocks", i + "%j = add %i, %i : i32 {\nyield\n}", "owns blocks; only for, while and if do"},
		{"one side", "%c = const : i1\nif %c {\nyield\n}", "takes a condition and two blocks"},
		{"sides", "%c = const : i1\n%r = if %c : i1 {\nyield %c\n} else {\nyield\n}", "yield: 0 values, not 1"},
		{"yield has no result", "%c = const : i1\nif %c {\n%r = yield : i1\n} else {\nyield\n}", "has no result"},

		// Types and attributes.
		{"param", `%p = param {name="b"} : i64`, `the argument block has no field "b"`},
		{"param type", `%p = param {name="p"} : i64`, `field "p" is ptr, not i64`},
		{"operands", "%x = const : i32\n%y = const : i64\n%z = add %x, %y : i64", "operand is i32, result is i64"},
		{"sreg", i + `%t = sreg %i {name="tid"} : i32`, "takes no operand"},
		{"sreg type", `%t = sreg {name="tid"} : i32x4`, "a special register is a scalar, not i32x4"},
		{"shuffle", "%x = const : f32x4\n%y = shuffle %x {perm=[0, 1]} : f32x2*2", "perm has 2 lanes, the result is f32x2*2"},
		{"maskbits", "%x = const : i64\n%y = maskbits %x : i64", "takes a mask of at most 64 lanes and gives an i64"},
		{"maskof", "%x = const : i64\n%y = maskof %x : f32x4", "takes an i64 and gives a mask of at most 64 lanes"},
		{"maskn", "%x = const : i64\n%y = maskn %x : i1x4*2", "takes an i64 and gives a mask"},
		{"bounds", "%x = const : i32x1*2\nfor %x, %x, %x (%i: i32x1*2) {\nyield\n}", "cannot make a i32x1*2"},
		{"attribute", i + "%j = add %i, %i {off=4} : i32", "attribute off means nothing here; load, loadm"},
		{"imm of a float", "%x = const {imm=1} : f32", "imm is for integer constants; a f32 has f"},
		{"f of an integer", "%x = const {f=-0} : i32", "f is for floating-point constants; an i32 has imm"},
		{"imm too wide", "%x = const {imm=256} : i8", "256 does not fit in an i8"},
		{"imm too low", "%x = const {imm=-129} : i8", "-129 does not fit in an i8"},
		{"instruction pointer", `%p = param {name="p"} : ptr` + "\n" + `%q = inst "test.ptr" %p : ptr.shared.16`, "operand 0 of test.ptr is ptr, not ptr.shared.16"},

		// Tied operands.
		{"later", i + `%j = inst "test.tied" %i, %i : i32` + "\n%k = add %j, %i : i32",
			`%2 = add %1, %0 : i32: %0 was overwritten by its tied use in %1 = inst "test.tied" %0, %0 : i32 (at 3:1); use that one's result, or copy %0 before`},
		{"tied again", i + `%j = inst "test.tied" %i, %i : i32` + "\n" + `%k = inst "test.tied" %i, %j : i32`, "%0 was overwritten"},
		{"twice", i + `%j, %k = inst "test.swap" %i, %i : i32, i32`, "%0 is tied to two results"},
		{"nested later", i + `%c = const : i1` + "\n" + `%j = inst "test.tied" %i, %i : i32` + "\nif %c {\n%k = add %i, %j : i32\nyield\n} else {\nyield\n}", "%0 was overwritten"},
		{"after an if", i + "%c = const : i1\nif %c {\nyield\n} else {\n" + `%j = inst "test.tied" %i, %i : i32` + "\nyield\n}\n%k = add %i, %i : i32", "%0 was overwritten"},
		{"yielded", i + "%c = const : i1\n%r = if %c : i32 {\nyield %i\n} else {\n" + `%j = inst "test.tied" %i, %i : i32` + "\nyield %i\n}", "yield %0: %0 was overwritten"},
		{"around a loop", loop + "for %lo, %n, %s (%x: i64) {\n" + `%j = inst "test.tied" %i, %i : i32` + "\nyield\n}",
			"%0 is defined outside the loop for %1, %2, %3 (at 6:1), whose next iteration would read what this one overwrites; carry it through the loop"},
		{"around two loops", loop + "for %lo, %n, %s (%x: i64) {\n%j = copy %i : i32\nfor %lo, %n, %s (%y: i64) {\n" + `%k = inst "test.tied" %j, %i : i32` + "\nyield\n}\nyield\n}", "%5 is defined outside the loop"},
		{"in a while", i + "while {\n" + `%j = inst "test.tied" %i, %i : i32` + "\n%c = const : i1\nyield %c\n} do {\nyield\n}", "%0 is defined outside the loop while"},

		// Async values.
		{"stored", `%z = inst "test.zero" : f32x1*4` + "\n" + `%a = inst "test.start" %z : async f32x1*4` + "\n" + `%b = copy %a : async f32x1*4`,
			"%1 is async f32x1*4: an instruction in flight may still write it"},
		{"made", "%x = const : f32x4\n%y = shuffle %x {perm=[0, 1]} : async f32x2", "only an instruction makes an async value"},
		{"taken", `%z = inst "test.zero" : f32x1*4` + "\n" + `%a = inst "test.start" %z : async f32x1*4` + "\n" + `%b = inst "test.start" %a : async f32x1*4`,
			"operand 0 of test.start is async f32x1*4, not f32x1*4"},

		// Uniformity.
		{"if", tid + "if %c {\n" + `%v = inst "test.vote" %t : i32` + "\nyield\n} else {\nyield\n}",
			"must be executed by a whole warp together, but the condition %2 (at 4:1) may differ between threads"},
		{"else, nested", tid + "%u = const : i1\nif %c {\nyield\n} else {\nif %u {\n" + `%v = inst "test.vote" %t : i32` + "\nyield\n} else {\nyield\n}\nyield\n}", "the condition %2 "},
		{"warps", `%w = sreg {name="w", level=warp} : i32` + "\n%k = const : i32\n%c = cmp %w, %k {name=\"eq\"} : i1\nif %c {\n" + `inst "test.barrier"` + "\nyield\n} else {\nyield\n}",
			"must be executed by a whole cta together, but the condition %2 (at 4:1) may differ between warps"},
		{"bound", tid + "%z = const : i32\nfor %z, %t, %k (%x: i32) {\n" + `%v = inst "test.vote" %x : i32` + "\nyield\n}", "the condition %0 (at 2:1) may differ between threads"},
		{"while, carried", tid + "%z = const : i32\n%r = while %z : i32 (%x: i32) {\n" +
			`%b = inst "test.vote" %x : i32` + "\n%d = cmp %x, %k {name=\"lt\"} : i1\nyield %d, %x\n} do (%y: i32) {\n%n = add %y, %t : i32\nyield %n\n}",
			"the condition %6 (at 8:1) may differ between threads"},
		{"loaded from shared", "%z = const : i32\n" + `%p = param {name="sh"} : ptr.shared` + "\n%x = load %p : i32\n%c = cmp %x, %z {name=\"eq\"} : i1\nif %c {\n" + `%v = inst "test.vote" %x : i32` + "\nyield\n} else {\nyield\n}", "the condition %3"},
	} {
		f, err := parse("func @f(p: ptr @0, sh: ptr.shared @8) {\n" + c.body + "\n}\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := f.Check(); err == nil {
			t.Errorf("%s: passes\n%s", c.name, f)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestCheckArguments(t *testing.T) {
	for _, c := range []struct {
		args []Arg
		want string
	}{
		{[]Arg{{"", Ptr, 0}}, "the field at 0 has no name"},
		{[]Arg{{"a", Ptr, 0}, {"a", Ptr, 8}}, "two fields are called a"},
		{[]Arg{{"a", Vector(F32, 4), 0}}, "field a is f32x4; a field is a scalar or a pointer"},
		{[]Arg{{"a", noType, 0}}, "field a is none"},
		{[]Arg{{"a", Scalar(Elem(77)), 0}}, "field a is elem(77)"},
		{[]Arg{{"a", Pointer(Generic, 3), 0}}, "field a is ptr..3"},
		{[]Arg{{"a", Ptr, 4}}, "not aligned to its 8 bytes"},
		{[]Arg{{"a", Int32, -4}}, "begins before 0"},
		{[]Arg{{"a", Int32, 4}, {"b", Int64, 0}}, "field b at offset 0 begins before 8"},
		{[]Arg{{"a", Int64, 0}, {"b", Int32, 4}}, "field b at offset 4 begins before 8"},
		{[]Arg{{"a", Int64, min(1<<40, math.MaxInt-7)}}, "is beyond 32768"},
	} {
		err := (&Func{Name: "f", Args: c.args, Body: &Block{}}).Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v; want %s", c.args, err, c.want)
		}
	}
}

// TestCheckBroken has what only a wrong builder or pass can make.
func TestCheckBroken(t *testing.T) {
	konst := func(typ Type) *Op {
		op := &Op{Def: Lookup("const")}
		op.Results = []*Value{{Type: typ, Op: op}}
		return op
	}
	of := func(ops ...*Op) *Func { return &Func{Name: "f", Body: &Block{Ops: ops}} }
	x := konst(Int32)
	use := &Op{Def: Lookup("copy"), Args: x.Results}
	use.Results = []*Value{{Type: Int32, Op: use}}
	stray := konst(Int32)
	stray.Results[0].Op = x
	for _, c := range []struct {
		name string
		f    *Func
		want string
	}{
		{"no body", &Func{Name: "f"}, "a body is a block without arguments"},
		{"body arguments", &Func{Name: "f", Body: &Block{Args: fresh(Int32)}}, "a body is a block without arguments"},
		{"use before definition", of(use, x), "%0 is not defined before its use"},
		{"operation twice", of(x, x), "%0 is defined twice"},
		{"nil operation", of(nil), "operation 0 of its block is not in the op table"},
		{"no row", of(&Op{}), "operation 0 of its block is not in the op table"},
		{"nil operand", of(&Op{Def: Lookup("copy"), Args: []*Value{nil}}), "operand 0 is missing"},
		{"nil result", of(&Op{Def: Lookup("const"), Results: []*Value{nil}}), "a result is missing"},
		{"nil block", of(&Op{Def: Lookup("while"), Blocks: []*Block{nil}}), "block 0 is missing"},
		{"foreign result", of(stray), "does not name the operation that makes it"},
		{"no type", of(konst(Type{Elem: F32, Lanes: 1, Align: 4})), "has no type that exists"},
		{"no element", of(konst(Scalar(Elem(77)))), "elem(77)"},
		{"level", of(&Op{Def: Lookup("sreg"), Attr: Attr{Level: 9}, Results: fresh(Int32)}), "level(9) is not a level"},
		{"no instruction", of(&Op{Def: Lookup("inst")}), "an instruction belongs to op inst, and to no other"},
		{"instruction elsewhere", of(&Op{Def: Lookup("const"), Inst: LookupInstruction("test.zero"), Results: fresh(Int32)}), "an instruction belongs to op inst"},
	} {
		err := c.f.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

// TestCheckAccepts: the right way to write what TestCheckRefuses has wrong.
func TestCheckAccepts(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"a copy before", "%i = const {imm=1} : i32\n%j = copy %i : i32\n" + `%k = inst "test.tied" %i, %j : i32` + "\n%l = add %j, %k : i32"},
		{"one side each", "%i = const {imm=1} : i32\n%c = const : i1\nif %c {\n" + `%j = inst "test.tied" %i, %i : i32` + "\nyield\n} else {\n%k = add %i, %i : i32\nyield\n}"},
		{"carried", "%i = const {imm=1} : i32\n%r = for %i, %i, %i, %i : i32 (%n: i32, %c: i32) {\n" + `%j = inst "test.tied" %c, %n : i32` + "\nyield %j\n}"},
		{"made in the loop", "%i = const {imm=1} : i32\nfor %i, %i, %i (%n: i32) {\n%c = copy %i : i32\n" + `%j = inst "test.tied" %c, %n : i32` + "\nyield\n}"},
		{"async, carried", "%i = const : i32\n" + `%z = inst "test.zero" : f32x1*4` + "\n" + `%a = inst "test.start" %z : async f32x1*4` +
			"\n%r = for %i, %i, %i, %a : async f32x1*4 (%n: i32, %c: async f32x1*4) {\n" + `%w = inst "test.wait" %c : f32x1*4` + "\n" + `%s = inst "test.start" %w : async f32x1*4` + "\nyield %s\n}"},
		{"uniform enough", `%g = sreg {name="g", level=warpgroup} : i32` + "\n%k = const : i32\n%c = cmp %g, %k {name=\"eq\"} : i1\nif %c {\n" + `%z = inst "test.zero" : f32x1*4` + "\n" + `%a = inst "test.start" %z : async f32x1*4` + "\nyield\n} else {\nyield\n}"},
		{"voted", `%t = sreg {name="tid"} : i32` + "\n" + `%v = inst "test.vote" %t : i32` + "\n%c = cmp %v, %v {name=\"eq\"} : i1\nif %c {\n" + `%w = inst "test.vote" %t : i32` + "\nyield\n} else {\nyield\n}"},
		{"after the region", `%t = sreg {name="tid"} : i32` + "\n%c = cmp %t, %t {name=\"eq\"} : i1\nif %c {\nyield\n} else {\nyield\n}\n" + `inst "test.barrier"`},
		{"better aligned", `%p = param {name="q"} : ptr.shared.32` + "\n" + `%q = inst "test.ptr" %p : ptr.shared.16`},
		{"either sign", "%x = const {imm=-128} : i8\n%y = const {imm=255} : i8\n%m = const {imm=1} : i1x8"},
	} {
		if _, err := Parse("func @f(q: ptr.shared.32 @0) {\n" + c.body + "\n}\n"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestUniformity(t *testing.T) {
	f, err := Parse(`func @f(g: ptr.global @0, s: ptr.shared @8) {
  %cta = param {name="g"} : ptr.global
  %sh = param {name="s"} : ptr.shared
  %tid = sreg {name="tid"} : i64
  %warp = sreg {name="warp", level=warp} : i64
  %group = sreg {name="group", level=warpgroup} : i64
  %one = const {imm=1} : i64
  %sum = add %warp, %group : i64
  %fromcta = load %cta : i32
  %fromwarp = load %cta, %warp {scale=4} : i32
  %fromshared = load %sh : i32
  %odd = cmp %warp, %one {name="eq"} : i1
  %chosen = if %odd : i64 {
    yield %one
  } else {
    yield %group
  }
  %a, %b, %c = for %one, %group, %one, %one, %one, %one : i64, i64, i64 (%i: i64, %x: i64, %y: i64, %w: i64) {
    %z = add %y, %warp : i64
    yield %y, %z, %one
  }
  %last = while %one : i64 (%h: i64) {
    %more = cmp %h, %tid {name="lt"} : i1
    yield %more, %one
  } do (%n: i64) {
    yield %one
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	// In the order of numbers: block arguments before what the block computes,
	// results of loops after.
	want := []struct {
		name string
		l    Level
	}{
		{"cta", CTA}, {"sh", CTA}, {"tid", Thread}, {"warp", Warp}, {"group", Warpgroup}, {"one", CTA},
		{"sum", Warp}, {"fromcta", CTA}, {"fromwarp", Warp}, {"fromshared", Thread}, {"odd", Warp}, {"chosen", Warp},
		{"i", Warpgroup}, {"x, two iterations late", Warp}, {"y", Warp}, {"w", Warpgroup}, {"z", Warp}, {"a", Warp}, {"b", Warp}, {"c", Warpgroup},
		{"h", Thread}, {"more", Thread}, {"n", Thread}, {"last", Thread},
	}
	levels := f.Uniformity()
	if len(levels) != len(want) {
		t.Errorf("%d values, not %d", len(levels), len(want))
	}
	f.Body.values(func(v *Value) {
		if w := want[v.ID]; levels[v] != w.l {
			t.Errorf("%s (%%%d) is %v, not %v", w.name, v.ID, levels[v], w.l)
		}
	})
}
