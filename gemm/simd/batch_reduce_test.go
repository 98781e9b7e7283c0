package simd

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// reduction is a call of a kernel that sums over blocks.
type reduction struct {
	a, acc      dtype.Type // of the operands, and of sums
	s           gemm.Shape
	r           gemm.BatchReduce // distances filled in
	count, mode int
	forms       [2]string // of addresses, of A and of B
	alpha, beta float64
	full        bool // operands have all digits of a bf16
	panels, row int  // of open blocks: of columns, 0 for one; and the first row that a call does
}

// the forms of addresses.
var forms = []string{"stride", "offsets", "addresses"}

// number is a small integer, or one that takes eight digits.
func (c reduction) number(seed, i, j int) float64 {
	x := number(seed, i, j)
	if c.full {
		return x + math.Copysign(129-math.Abs(math.Mod(x, 2)), x)
	}
	return x
}

func (c reduction) String() string {
	return fmt.Sprintf("%v %v %+v count=%d mode=%d %s", c.a, c.s, c.r, c.count, c.mode, c.forms)
}

// laid are so many in one memory, that overlap if step says so, and the words that say where they begin.
type laid struct {
	mem, words        *emit.Memory
	first, step       int64 // bytes
	next, stride, mul int64 // fields of the argument block
}

// lay lays count blocks out, each of extent elements of e: in order at a stride, or else from the last to the first.
func (c reduction) lay(name, form string, e emit.Elem, extent int) laid {
	size := int64(e.Bytes())
	x := laid{first: 3 * size, step: int64(extent+5) * size}
	x.mem = emit.NewMemory(name, emit.Generic, int(x.first+int64(max(c.count-1, 0))*x.step+int64(extent)*size))
	place := make([]int64, 3*c.count+1)
	switch form {
	case "stride":
		x.stride, x.mul = x.step, 77
	case "offsets":
		x.next, x.mul = 8, size
		for i := range c.count {
			place[i] = int64(c.count-1-i) * x.step / size
		}
	case "addresses": // first words of slices
		x.next, x.mul = 24, 1
		for i := range c.count {
			place[3*i] = int64(c.count-1-i) * x.step
			place[3*i+1] = 1 << 40
		}
	}
	x.words = emit.MemoryOf("words", emit.Generic, place)
	return x
}

// begin is where block i begins.
func (c reduction) begin(x laid, i int) int64 {
	if x.next > 0 {
		i = c.count - 1 - i
	}
	return x.first + int64(i)*x.step
}

func put(m *emit.Memory, e emit.Elem, at int64, x float64) {
	bits := e.Encode(x)
	if e == emit.I16 || e == emit.I32 {
		bits = uint64(int64(x))
	}
	b := binary.LittleEndian.AppendUint64(nil, bits)
	if err := m.Write(at, b[:e.Bytes()]); err != nil {
		panic(err)
	}
}

// run runs f and compares with a plain loop.
func (c reduction) run(f *emit.Func) error {
	ea, ec := gemm.ElemOf(c.a), gemm.ElemOf(c.acc)
	s, r := c.s, c.r
	group := 1 // rows of B that lie side by side
	if gemm.Paired(c.a) {
		group = 2
	}
	panels, width := max(1, c.panels), s.N
	panel := s.K*r.LdB + 3*group
	s.N *= panels
	atB := func(k, j int) int { return k/group*group*r.LdB + group*(j%width) + k%group + j/width*panel }
	a, b := c.lay("A", c.forms[0], ea, (s.M-1)*r.LdA+s.K), c.lay("B", c.forms[1], ea, atB(s.K-1, s.N-1)+1)
	out := newArray("C", ec, int64(ec.Bytes()), int64(s.M), int64(s.N), int64(r.LdC*ec.Bytes()), int64(ec.Bytes()))
	for t := range c.count {
		for i := range s.M {
			for k := range s.K {
				put(a.mem, ea, c.begin(a, t)+int64((i*r.LdA+k)*ea.Bytes()), c.number(10+t, i, k))
			}
		}
		for k := range s.K {
			for j := range s.N {
				put(b.mem, ea, c.begin(b, t)+int64(atB(k, j)*ea.Bytes()), c.number(70+t, k, j))
			}
		}
	}
	old := func(i, j int) float64 { return number(3, i, j) }
	for i := range s.M {
		for j := range s.N {
			if c.mode == kernel.ModeUpdate || i < c.row {
				put(out.mem, ec, out.at(i, j), old(i, j))
			}
		}
	}
	m := &emit.Machine{MaxSteps: 4_000_000}
	scalar := func(x float64) emit.Word { return emit.Word{Lane: []uint64{ec.Encode(x)}} }
	if ec == emit.I32 {
		scalar = func(x float64) emit.Word { return emit.IntWord(int64(x)) }
	}
	for name, w := range map[string]emit.Word{
		"c": emit.PtrTo(out.mem, out.off), "a": emit.PtrTo(a.mem, a.first), "b": emit.PtrTo(b.mem, b.first),
		"ata": emit.PtrTo(a.words, 0), "atb": emit.PtrTo(b.words, 0), "nexta": emit.IntWord(a.next), "nextb": emit.IntWord(b.next),
		"stepa": emit.IntWord(a.stride), "stepb": emit.IntWord(b.stride), "scalea": emit.IntWord(a.mul), "scaleb": emit.IntWord(b.mul),
		"count": emit.IntWord(int64(c.count)), "mode": emit.IntWord(int64(c.mode)),
		"row": emit.IntWord(int64(c.row)), "panels": emit.IntWord(int64(panels)), "panel": emit.IntWord(int64(panel * ea.Bytes())), "rows": emit.IntWord(int64(s.M)), "k": emit.IntWord(int64(s.K / group)), "rsa": emit.IntWord(int64(r.LdA * ea.Bytes())), "ldc": emit.IntWord(int64(r.LdC * ec.Bytes())),
		"alpha": scalar(c.alpha), "beta": scalar(c.beta),
	} {
		m.Bind(name, w)
	}
	if err := m.Run(f); err != nil {
		return err
	}
	want := func(i, j int) float64 {
		if i < c.row { // as it was
			return old(i, j)
		}
		sum := 0.0
		for t := range c.count {
			for k := range s.K {
				sum += c.number(10+t, i, k) * c.number(70+t, k, j)
			}
		}
		switch c.mode {
		case kernel.ModeScale:
			return c.alpha * sum
		case kernel.ModeUpdate:
			return c.alpha*sum + c.beta*number(3, i, j)
		}
		return sum
	}
	if ec != emit.I32 {
		return out.compare(s.M, s.N, want)
	}
	for i := range s.M {
		for j := range s.N {
			b, err := out.mem.Read(out.at(i, j), 4)
			if err != nil {
				return err
			}
			if have := int32(binary.LittleEndian.Uint32(b)); have != int32(want(i, j)) {
				return fmt.Errorf("element (%d, %d) is %d, want %v", i, j, have, want(i, j))
			}
		}
	}
	return nil
}

// described is a spec of sums over blocks.
func described(a, acc dtype.Type, s gemm.Shape, r gemm.BatchReduce) gemm.Description {
	return gemm.Description{Name: "S", A: a, B: a, Acc: acc, Out: acc, Shape: s, Reduce: r}
}

func lowerReduced(t *testing.T, a, acc dtype.Type, s gemm.Shape, r gemm.BatchReduce, target emit.Target) (*Module, *emit.Func) {
	t.Helper()
	m, err := Lower(described(a, acc, s, r), target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m, functionOf(t, m, m.Reduced)
}

// Kernels over blocks, of every type, form of addresses, mode and count, as lowered and as the backend's
// passes leave them.
func TestBatchReduce(t *testing.T) {
	types := []struct {
		a, acc  dtype.Type
		targets []emit.Target
	}{
		{dtype.F32, dtype.F32, gemm.CPUTargets()},
		{dtype.F64, dtype.F64, gemm.CPUTargets()},
		{dtype.TypeBF16, dtype.F32, append(gemm.CPUTargets(), amd64.AVX512BF16, amd64.AMXBF16)},
		{dtype.I16, dtype.I32, append(gemm.CPUTargets(), amd64.AVX512VNNI, amd64.AVXVNNI)},
	}
	shapes := []gemm.Shape{shape(1, 1, 2), shape(5, 3, 4), shape(3, 19, 6), shape(16, 16, 16), shape(13, 40, 2), shape(30, 33, 70), shape(48, 80, 32), shape(32, 32, 64), shape(80, 80, 160)}
	turn := 0
	for _, typ := range types {
		for _, target := range gemmtest.Targets(t, typ.targets) {
			for n, s := range shapes {
				tiles := target.Name == amd64.AMXBF16.Name
				if tiles && !gemm.WholeTiles(s) {
					continue
				}
				large := s.M*s.N*s.K > 20_000 // more rounds of the same loops, one form of addresses
				if large && level.Of(true, s.M*s.N*s.K > 150_000 && !tiles, false) {
					continue
				}
				r := gemm.BatchReduce{Count: gemm.AnyCount}
				if n%2 == 1 {
					r = gemm.BatchReduce{Count: gemm.AnyCount, LdA: s.K + 3, LdB: s.N + 1, LdC: s.N + 7}
				}
				m, f := lowerReduced(t, typ.a, typ.acc, s, r, target)
				some := func(when string) {
					for i := range forms {
						if turn++; large && !level.Long() && i != turn/3%3 {
							continue
						}
						c := reduction{typ.a, typ.acc, s, m.Reduce, []int{0, 1, 2, 5}[turn%4], []int{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate}[turn/4%3], [2]string{forms[i], forms[turn%3]}, 2, -3, false, 0, 0}
						if typ.acc == dtype.I32 {
							c.alpha, c.beta = 1, 1
						}
						if err := c.run(f); err != nil {
							t.Errorf("%s %v%s: %v", target.Name, c, when, err)
						}
					}
				}
				some("")
				if err := emit.Run(f, gemmtest.Backend(target).Passes(target), nil); err != nil {
					t.Fatal(err)
				}
				some(" after the passes")
			}
		}
	}
}

// Kernels over blocks of which a call says how many rows and k they have.
func TestBatchReduceOpen(t *testing.T) {
	turn := 0
	for _, typ := range []struct {
		a, acc  dtype.Type
		targets []emit.Target
		n       []int
	}{
		{dtype.F32, dtype.F32, gemm.CPUTargets(), []int{1, 19, 32, 50}},
		{dtype.F64, dtype.F64, gemm.CPUTargets(), []int{16}},
		{dtype.TypeBF16, dtype.F32, append(gemm.CPUTargets(), amd64.AVX512BF16, amd64.AMXBF16), []int{32, 48}},
		{dtype.I16, dtype.I32, append(gemm.CPUTargets(), amd64.AVX512VNNI, amd64.AVXVNNI), []int{20}},
	} {
		for _, target := range gemmtest.Targets(t, typ.targets) {
			for _, n := range typ.n {
				m, f := lowerReduced(t, typ.a, typ.acc, shape(0, n, 0), gemm.BatchReduce{Count: gemm.AnyCount}, target)
				some := func(when string) {
					for at, s := range []gemm.Shape{shape(1, n, 2), shape(13, n, 6), shape(14, n, 8), shape(29, n, 30), shape(35, n, 32), shape(63, n, 64)} {
						if turn++; level.Of(at > 1, at > 4, false) {
							continue
						}
						r := m.Reduce
						r.LdA, r.LdC = s.K+turn%3, s.N+turn%2*5
						c := reduction{typ.a, typ.acc, s, r, []int{0, 1, 2, 3}[turn%4], []int{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate}[turn/4%3], [2]string{forms[turn%3], forms[turn/3%3]}, 2, -3, false, turn % 3, turn % 2 * min(5, s.M-1)}
						c.r.LdC = s.N*3 + turn%2*5
						if typ.acc == dtype.I32 {
							c.alpha, c.beta = 1, 1
						}
						if err := c.run(f); err != nil {
							t.Errorf("%s %v%s: %v", target.Name, c, when, err)
						}
					}
				}
				some("")
				if err := emit.Run(f, gemmtest.Backend(target).Passes(target), nil); err != nil {
					t.Fatal(err)
				}
				some(" after the passes")
			}
		}
	}
}

// A count that is known is no field that a kernel reads, unless all blocks take too long for one call.
func TestBatchReduceCount(t *testing.T) {
	for _, c := range []struct {
		count int
		s     gemm.Shape
		reads bool
	}{{gemm.AnyCount, shape(4, 8, 4), true}, {3, shape(4, 8, 4), false}, {100, shape(64, 64, 64), true}} {
		m, f := lowerReduced(t, dtype.F32, dtype.F32, c.s, gemm.BatchReduce{Count: c.count}, amd64.AVX2)
		if reads := strings.Contains(f.String(), `param {name="count"}`); reads != c.reads {
			t.Errorf("%d of %v reads the count: %v, want %v", c.count, c.s, reads, c.reads)
		}
		if c.count == 3 {
			r := reduction{dtype.F32, dtype.F32, c.s, m.Reduce, 3, kernel.ModeStore, [2]string{"offsets", "stride"}, 1, 0, false, 0, 0}
			if err := r.run(f); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every mutant of a kernel over blocks is caught.
func TestBatchReduceMutants(t *testing.T) {
	skipShort(t)
	for _, x := range []struct {
		a, acc dtype.Type
		target emit.Target
	}{{dtype.F32, dtype.F32, amd64.AVX2}, {dtype.TypeBF16, dtype.F32, amd64.AVX512}, {dtype.TypeBF16, dtype.F32, amd64.AVX512BF16}} {
		s := shape(3, 19, 4)
		m, f := lowerReduced(t, x.a, x.acc, s, gemm.BatchReduce{Count: gemm.AnyCount, LdA: 7, LdB: 20, LdC: 23}, x.target)
		run := func(f *emit.Func) error {
			for i, mode := range []int{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate} {
				for k := range forms {
					if err := (reduction{x.a, x.acc, s, m.Reduce, 3 - i, mode, [2]string{forms[k], forms[(k+1)%3]}, 2, -3, true, 0, 0}).run(f); err != nil {
						return err
					}
				}
			}
			return nil
		}
		b := breed(f, m.VL)
		if err := run(b.Base); err != nil {
			t.Fatal(err)
		}
		caught := 0
		for mu := range tried(b, 60) {
			switch {
			case mu.Func.Check() != nil || run(mu.Func) != nil:
				caught++
			default:
				t.Errorf("%s %v survives: %s", x.target.Name, x.a, mu.What)
			}
		}
		t.Logf("%s %v: mutants tried and caught %d of %d", x.target.Name, x.a, caught, b.Len())
		if caught < 50 {
			t.Errorf("%d mutants, want at least 50", caught)
		}
	}
}

// Every mutant of a kernel over blocks of any shape is caught: of tiles of each height, of rounds of steps and what is left, and of panels. What chooses
// the heights may do so otherwise, as long as all rows have a tile.
func TestBatchReduceOpenMutants(t *testing.T) {
	skipShort(t)
	for _, x := range []struct {
		a, acc dtype.Type
		n      int
		target emit.Target
	}{{dtype.F64, dtype.F64, 5, amd64.AVX2}} {
		m, f := lowerReduced(t, x.a, x.acc, shape(0, x.n, 0), gemm.BatchReduce{Count: gemm.AnyCount, LdB: x.n + 1}, x.target)
		run := func(f *emit.Func) error {
			for i, mode := range []int{kernel.ModeStore, kernel.ModeScale, kernel.ModeUpdate} {
				for k := range forms {
					for _, rows := range []int{21, 13, 2, 1} { // tiles of 6, 6, 5 and 4 rows; 6, 4 and 3; 2; 1
						s := shape(rows+k, x.n, 35) // rounds of steps, and some that are left
						r := m.Reduce
						r.LdA, r.LdC = s.K+3, 2*s.N+7
						if err := (reduction{x.a, x.acc, s, r, 3 - i, mode, [2]string{forms[k], forms[(k+1)%3]}, 2, -3, true, 2, k}).run(f); err != nil {
							return err
						}
					}
				}
			}
			r := m.Reduce
			r.LdA, r.LdC = 38, 2*x.n
			return (reduction{x.a, x.acc, shape(2, x.n, 35), r, 1, kernel.ModeStore, [2]string{forms[0], forms[0]}, 1, 0, true, 2, 0}).run(f)
		}
		b := breed(f, m.VL)
		if err := run(b.Base); err != nil {
			t.Fatal(err)
		}
		heights := map[*emit.Op]bool{} // what chooses among tiles, which all compute the same
		lastRow := map[*emit.Op]bool{}
		b.Base.Body.Walk(func(op *emit.Op) {
			if op.Def.Name == "while" {
				heights[op] = true // without it the tiles below do its rows
				op.Blocks[0].Walk(func(op *emit.Op) { heights[op] = true })
				op.Blocks[1].Walk(func(op *emit.Op) { // behind a tile of one row, or of two since three have one, there is none: it counts for nothing by how much
					if op.Def.Name == "add" && op.Args[1].Op != nil && op.Args[1].Op.Def.Name == "const" && op.Args[1].Op.Attr.Imm <= 2 {
						lastRow[op.Args[1].Op] = true
					}
				})
			}
		})
		caught, alike := 0, 0
		for mu := range tried(b, 100) { // there are some thousands
			switch {
			case mu.Func.Check() != nil || run(mu.Func) != nil:
				caught++
			case openAlike.MatchString(mu.What) || heights[mu.Op] || lastRow[mu.Op] && strings.HasSuffix(mu.What, ": +1") || strings.HasSuffix(mu.What, ": +1") && b.onlySteps(mu.Op):
				alike++
			default:
				t.Errorf("%s %v survives: %s", x.target.Name, x.a, mu.What)
			}
		}
		t.Logf("%s %v: mutants tried %d of %d, caught %d", x.target.Name, x.a, caught+alike, b.Len(), caught)
		if caught < 50 || alike > caught/20 {
			t.Errorf("%d mutants are caught and %d mean the same, want at least 50 and at most a twentieth", caught, alike)
		}
	}
}

// onlySteps reports whether a constant is the step of loops and nothing else: with few rounds a loop goes round as
// often in steps of one more.
func (b *breeder) onlySteps(op *emit.Op) bool {
	if op.Def.Name != "const" {
		return false
	}
	for _, u := range b.users[op.Result()] {
		if u.Def.Name != "for" || u.Args[2] != op.Result() || u.Args[0] == op.Result() || u.Args[1] == op.Result() {
			return false
		}
	}
	return true
}

// openAlike matches mutants that mean the same: a loop in steps of n from 0
// to a multiple of n goes round as often from 1, to one less, or with few rounds in steps of n+1.
var openAlike = regexp.MustCompile(`const (\{imm=16\} )?: i64: \+1$|bound -1$`)

func TestBatchReduceRefused(t *testing.T) {
	any := gemm.BatchReduce{Count: gemm.AnyCount}
	rounded := described(dtype.TypeBF16, dtype.F32, shape(4, 4, 4), gemm.BatchReduce{Count: 2, LdC: 8})
	rounded.Out = dtype.TypeBF16
	for _, c := range []struct {
		d    gemm.Description
		want string
	}{
		{described(dtype.F32, dtype.F32, shape(4, 4, 0), any), "Reduce sums products of blocks of one shape, and 4 x 4 x k leaves some of it open; fix M, N and K, or N alone"},
		{described(dtype.F32, dtype.F32, shape(0, 4, 0), gemm.BatchReduce{Count: 1, LdA: 4}), "LdA is 4 and LdC 0, and calls give these where they give M and K; leave both out"},
		{described(dtype.F32, dtype.F32, shape(0, 400, 0), any), "blocks of b are 400 columns wide, and of m x 400 x k at most 128 are; cut them into panels"},
		{described(dtype.F32, dtype.F32, shape(4, 4, 4), gemm.BatchReduce{Count: -2}), "Reduce has a count of -2; want how many blocks there are in every call, or AnyCount"},
		{described(dtype.F32, dtype.F32, shape(4, 4, 4), gemm.BatchReduce{LdA: 4}), "Reduce has a count of 0; want how many blocks there are in every call, or AnyCount"},
		{described(dtype.TypeBF16, dtype.F32, shape(4, 4, 5), any), "Reduce of bf16 takes two k a step, and K is 5; fill blocks up with zeros to an even K"},
		{described(dtype.I8, dtype.I32, shape(4, 4, 4), any), "Reduce of i8 and i8 with sums of i32 is not known; there are f32 and f64 throughout, bf16 with sums of f32 and i16 with sums of i32"},
		{described(dtype.F32, dtype.F32, shape(256, 256, 256), any), "blocks of 256 x 256 x 256 are more than 2097152 multiply-adds, and a call into assembly ends with a block at the earliest; cut them into smaller ones"},
		{described(dtype.F32, dtype.F32, shape(4, 6, 4), gemm.BatchReduce{Count: 2, LdB: 5}), "LdB is 5, and rows have 6 elements; want 0, or at least that and at most 131072"},
		{rounded, "LdC is 8, and an epilogue stores at any strides, which a call gives; leave it out"},
	} {
		if _, err := Lower(c.d, amd64.AVX2, Options{}); err == nil || err.Error() != "gemm: S: "+c.want {
			t.Errorf("have %v\nwant gemm: S: %s", err, c.want)
		}
	}
}
