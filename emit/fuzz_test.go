package emit_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// FuzzInterpret reads any text. What passes the check prints and reads back as the
// same text, runs within its limits, and after every pass leaves the same memory.
func FuzzInterpret(f *testing.F) {
	for _, text := range fuzzSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<13 {
			interpretText(t, text)
		}
	})
}

// FuzzProgram writes functions as the input says, most of which pass the check.
func FuzzProgram(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	for seed := range uint64(100) {
		f.Add([]byte{byte(seed), byte(3 * seed)}, seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		w := &irWriter{in: data}
		if seed != 0 {
			w.rnd = rand.New(level.PCG(seed, 0))
		}
		interpretText(t, w.function())
	})
}

var place = regexp.MustCompile(`^\d+:\d+: `)

func interpretText(t *testing.T, text string) {
	t.Helper()
	f, err := emit.Parse(text)
	if err != nil {
		if refused := (*emit.Error)(nil); !errors.As(err, &refused) && !place.MatchString(err.Error()) || strings.Contains(err.Error(), "%!") && !strings.Contains(text, "%!") {
			t.Fatalf("%v\n%s", err, text)
		}
		return
	}
	once := f.String()
	again, err := emit.Parse(once)
	if err != nil {
		t.Fatalf("%v in\n%s", err, once)
	}
	if d := cmp.Diff(once, again.String()); d != "" {
		t.Fatalf("round trip (-want +got):\n%s", d)
	}
	runMachine(t, f, 1, false)
	want, ok := runMachine(t, f, 0, false)
	check := func(pass string, f *emit.Func) {
		if _, err := emit.Parse(f.String()); err != nil {
			t.Fatalf("after %s: %v\n%s", pass, err, f)
		}
		if !ok {
			return
		}
		have, ok := runMachine(t, f, 0, true)
		if !ok || !slices.EqualFunc(want, have, bytes.Equal) {
			t.Fatalf("after %s: ran %v, memory (-before +after)\n%s\nof\n%s\nis\n%s", pass, ok, cmp.Diff(want, have), once, f)
		}
	}
	passes := []emit.Pass{{"fold", emit.Fold}, {"addr", emit.FoldAddresses}, {"dce", emit.DeadCode}}
	if err := emit.Run(f, passes, check); err != nil {
		t.Fatalf("%v in\n%s", err, once)
	}
}

// runMachine runs f in memories of 4 KB, and returns what it left there and
// whether it came to its end.
func runMachine(t *testing.T, f *emit.Func, seed uint64, must bool) (out [][]byte, ok bool) {
	t.Helper()
	m := &emit.Machine{Threads: f.Threads, MaxSteps: 4000, MaxLanes: 1 << 18, Seed: seed}
	if must {
		m.MaxSteps *= 2 // what a pass adds, it may cost
	}
	fill := func(m *emit.Memory) *emit.Memory {
		for i := range m.Data {
			m.Data[i] = byte(i * 7)
		}
		return m
	}
	m.Shared = fill(&emit.Memory{Name: "shared", Space: emit.Shared, Data: make([]byte, min(f.Shared, 1<<14))})
	mems := []*emit.Memory{m.Shared}
	for i, a := range f.Args {
		switch {
		case a.Type.Ptr:
			mem := fill(&emit.Memory{Name: a.Name, Space: a.Type.Space, Data: make([]byte, 1<<12), ReadOnly: i == 3})
			mems = append(mems, mem)
			m.Bind(a.Name, emit.PtrTo(mem, int64(i%2)*256))
		case a.Type.Elem.Float():
			m.Bind(a.Name, emit.Word{Lane: []uint64{a.Type.Elem.Encode(1.5)}})
		default:
			m.Bind(a.Name, emit.IntWord(int64(i+1)))
		}
	}
	if err := m.Run(f); err != nil {
		if refused := (*emit.Error)(nil); !errors.As(err, &refused) {
			t.Fatalf("%v\n%s", err, f)
		}
		return nil, false
	}
	for _, mem := range mems {
		out = append(out, mem.Data)
	}
	return out, true
}

// TestMachineLimits: wide values cost steps and memory as what they are.
func TestMachineLimits(t *testing.T) {
	f, err := emit.Parse("func @f() threads 64 {\n%a = const : f32x65536\n%l = const : i64\n%h = const {imm=9223372036854775807} : i64\n%s = const {imm=1} : i64\n" +
		"%r = for %l, %h, %s, %a : f32x65536 (%i: i64, %c: f32x65536) {\n%d = add %c, %a : f32x65536\nyield %d\n}\n}")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    emit.Machine
		want string
	}{
		{emit.Machine{Threads: 64, MaxLanes: 1 << 22}, "the values of 64 threads have more than 4194304 lanes together"},
		{emit.Machine{Threads: 1, MaxSteps: 1 << 12}, "gave up after 4096 steps"},
	} {
		if err := c.m.Run(f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

const fuzzHead = "func @f(p: ptr @0, q: ptr.global.16 @8, n: i64 @16, x: f32 @24) threads 64 shared 2048 {\n" +
	"%p = param {name=\"p\"} : ptr\n%q = param {name=\"q\"} : ptr.global.16\n%n = param {name=\"n\"} : i64\n%x = param {name=\"x\"} : f32x4\n"

var fuzzSeeds = []string{
	"func @f(a: ptr @0) {\n  %0 = param {name=\"a\"} : ptr // p\n  %1 = load %0 {off=-8} : f32\n}\n",
	"// d\nfunc @\"x y\"() {\n  %0 = const {f=0d7ff8000000000001} : f64x2\n  %1 = const {f=-0} : e4m3\n}\n",
	"func @f() {\n%l = const : i32\n%s = const {imm=1} : i32\n%r = for %l, %s, %s, %l {once} : i32 (%i: i32, %c: i32) { // n\nyield %i\n}\n}",
	"func @f() {\n%c = const {imm=1} : i1\n%r = if %c : i1 {\nyield %c\n} else {\nyield %c\n}\n%w = while %r : i1 (%x: i1) {\nyield %c, %x\n} do (%y: i1) {\nyield %y\n}\n}",
	"func @f() {\n%a = const : f32x65536\n%b = add %a, %a : f32x65536\n%l = const {imm=-9223372036854775808} : i64\n%h = const {imm=9223372036854775807} : i64\n%r = for %l, %h, %h, %b : f32x65536 (%i: i64, %c: f32x65536) {\n%d = mul %c, %a : f32x65536\nyield %d\n}\n}",
	"func @f() threads 1024 shared 2147483647 {\n%t = sreg {name=\"tid.x\"} : i32\n%s = shared {imm=1024} : ptr.shared.16\nstore %t, %s\n}",
	fuzzHead + "%m = maskn %n : i1x4\n%v = loadm %m, %p, %n {scale=4} : f32x4\n%w = fma %v, %x, %x : f32x4\nstorem %w, %m, %p {off=64}\n%b = loadb %p : i8x3\nprefetch %p, %n {scale=8}\n}",
	fuzzHead + "%k = const {imm=65} : i64\n%a = shl %n, %k : i64\n%d = udiv %n, %a : i64\n%t = trunc %d : i8\n%s = sat %d {name=\"u\"} : i16\n%c = cvt %x {name=\"trunc\"} : i32x4\n%u = shuffle %c, %c {perm=[7,0]} : i32x2\n}",
	fuzzHead + "%o = addp %q, %n : ptr.global.8\n%v = load %o : f64\nstore %v, %q\n%i = const {imm=1} : i1\n%z = select %i, %o, %o : ptr.global.8\n}",
	fuzzHead + "inst \"bar.sync 0\"\n%s = shared : ptr.shared.16\n%a = inst \"ldmatrix.sync.aligned.m8n8.x4.shared.b16\" %s : i32x1*4\n}",
}
