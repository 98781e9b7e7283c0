package gpu

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel/param"
)

// oneMemory lays matrices into one memory, each at a multiple of 16 bytes.
func oneMemory(name string, ms ...*matrix) *emit.Memory {
	size := 0
	for _, m := range ms {
		size += (len(m.mem.Data) + 31) &^ 15
	}
	all, at := emit.NewMemory(name, emit.Global, size), 0
	for _, m := range ms {
		for i := range m.mem.Data {
			if p, err := m.mem.Read(int64(i), 1); err == nil { // else nothing is there
				if err := all.Write(int64(at+i), p); err != nil {
					panic(err)
				}
			}
		}
		next := at + (len(m.mem.Data)+31)&^15
		m.off, m.mem = m.off+at, all
		at = next
	}
	return all
}

// group launches kernel k for products of any shapes and returns the slots of each.
func group(m *Module, k Kernel, cs []call) ([][]matrix, error) {
	var firsts, records []byte
	var as, bs []*matrix
	slots, each := make([][]matrix, len(cs)), make([][]*matrix, len(m.Slots))
	total := 0
	for p, c := range cs {
		a, b, s := c.matrices(m, k)
		as, bs, slots[p] = append(as, &a), append(bs, &b), s
		for i := range s {
			each[i] = append(each[i], &s[i])
		}
	}
	memA, memB := oneMemory("a", as...), oneMemory("b", bs...)
	var mems []*emit.Memory
	for i := range m.Slots {
		mems = append(mems, oneMemory(m.Slots[i].Name, each[i]...))
	}
	for p, c := range cs {
		firsts = binary.LittleEndian.AppendUint32(firsts, uint32(total))
		tm, tn := c.tiles(k)
		total += tm * tn
		r := make([]byte, m.ParamBytes)
		put := func(at int, xs ...int) {
			for i, x := range xs {
				binary.LittleEndian.PutUint64(r[at+8*i:], uint64(x))
			}
		}
		a, b := as[p], bs[p]
		put(param.A, a.off, b.off, a.rs, a.cs, b.rs, b.cs, c.m, c.n, c.k)
		put(param.BsA, 1<<30, 1<<30) // which nobody is to read
		binary.LittleEndian.PutUint32(r[param.TM:], uint32(tm))
		binary.LittleEndian.PutUint32(r[param.TN:], uint32(tn))
		if m.Acc == dtype.F64 {
			behind := param.Slots + len(m.Slots)*param.SlotSize
			put(behind, int(math.Float64bits(float64(c.alpha))), int(math.Float64bits(float64(c.beta))))
		} else {
			binary.LittleEndian.PutUint32(r[param.Alpha:], math.Float32bits(c.alpha))
			binary.LittleEndian.PutUint32(r[param.Beta:], math.Float32bits(c.beta))
		}
		for i, s := range slots[p] {
			at := param.Slots + i*param.SlotSize
			put(at, s.off, s.rs, s.cs, 1<<30)
			if m.Slots[i].Kind == OperandSlot && m.Slots[i].Pattern == gemm.ScalarPattern {
				v, _ := s.get(0, 0, 0)
				put(at, int(s.bits(v)))
			}
		}
		records = append(records, r...)
	}
	for x := range total {
		mach := cs[0].machine(k.Func, x, 0)
		for _, a := range k.Func.Args { // of these only addresses are read
			mach.Bind(a.Name, emit.IntWord(-1))
		}
		mach.Bind("a", emit.PtrTo(memA, 0))
		mach.Bind("b", emit.PtrTo(memB, 0))
		for i := range m.Slots {
			mach.Bind(slotPtr(i), emit.PtrTo(mems[i], 0))
		}
		mach.Bind(argRecords, emit.PtrTo(emit.MemoryOf("records", emit.Global, records), 0))
		mach.Bind(argFirsts, emit.PtrTo(emit.MemoryOf("firsts", emit.Global, firsts), 0))
		mach.Bind(argProducts, emit.IntWord(int64(len(cs))))
		if err := mach.Run(k.Func); err != nil {
			return nil, fmt.Errorf("tile %d of %d: %w", x, total, err)
		}
	}
	return slots, nil
}

// checkGroup holds the results of a group against plain loops.
func checkGroup(t *testing.T, m *Module, k Kernel, cs []call) {
	t.Helper()
	for i := range cs {
		cs[i].aT, cs[i].bT = !k.A.KMajor, k.B.KMajor
		cs[i].unit = max(k.A.Unit/gemm.ElemOf(m.A).Bytes(), 1)
		if k.Wide {
			cs[i].unit = 16
		}
		if k.A.Unit == 0 {
			cs[i].aT, cs[i].bT, cs[i].cT = i%2 == 1, i%3 == 1, i%2 == 0
		}
	}
	slots, err := group(m, k, cs)
	if err != nil {
		t.Errorf("%s: %v", k.Func.Name, err)
		return
	}
	for p, c := range cs {
		want := func(z, i, j int) float64 { return float64(c.alpha) * c.sum(z, i, j) }
		if m.Name == "Longest" {
			want = c.longest
		}
		if old := c.operands[0]; old != nil {
			want = func(z, i, j int) float64 { return float64(c.alpha)*c.sum(z, i, j) + float64(c.beta)*old(z, i, j) }
		}
		if err := c.against(slots[p][0], want); err != nil {
			t.Errorf("%s: product %d of %d, %v: %v", k.Func.Name, p, len(cs), c, err)
		}
	}
}

// TestGroup runs the grouped kernels of every operator over products of ragged shapes, among
// them some with nothing to sum and some without tiles.
func TestGroup(t *testing.T) {
	all := products(oneWarp)
	names := slices.Sorted(maps.Keys(all))
	for _, at := range level.Pick(len(names), 2, len(names)) {
		t.Run(names[at], func(t *testing.T) {
			m := groupedModule(t, names[at])
			n := 0
			for _, k := range m.Kernels {
				if !k.Grouped {
					continue
				}
				if n++; level.Of(n != 1, (n+at)%2 != 0, false) { // a normal run has every other one, of the next type those between
					continue
				}
				cs := []call{{m: 33, n: 9, k: 17}, {m: 0, n: 8, k: 3}, {m: 1, n: 1, k: 1}, {m: 5, n: 3, k: 0}, {m: 8, n: 0, k: 1}, {m: 7, n: 35, k: 35}, {m: 0, n: 0, k: 0}}
				switch {
				case level.Long():
					cs[0].n, cs[5].n = 41, 70
				case n%4 != 1+(at+1)%2: // every fourth kernel has more products with tiles, and two of several tiles
					cs[0].m, cs[2].m, cs[5].m = 31, 0, 0
				}
				for i := range cs {
					cs[i].alpha, cs[i].pad, cs[i].off = 1, i%3, i%2
				}
				if d := all[names[at]].Describe(); !d.Acc.Integer() && d.Operator == nil { // and numbers of their own
					cs[0].alpha, cs[3].alpha, cs[5].alpha = 2, 0, -1
					for _, i := range []int{2, 3, 5} {
						cs[i].beta, cs[i].operands = float32(i), map[int]func(z, i, j int) float64{0: small(3)}
					}
				}
				checkGroup(t, m, k, cs)
			}
			if n != len(variants(gemm.ElemOf(m.A).Bytes(), sameTiles(oneWarp), oneWarp, false, false)) {
				t.Errorf("%d grouped kernels of %d", n, len(m.Kernels))
			}
		})
	}
}

// TestGroupSearch: every tile finds its product in groups of one to many, whatever lies
// between them.
func TestGroupSearch(t *testing.T) {
	m := groupedModule(t, "f32")
	var k Kernel
	for _, k = range m.Kernels {
		if k.Grouped && k.A.Unit == 0 {
			break
		}
	}
	for _, n := range level.Of([]int{1}, []int{1, 3, 8}, []int{1, 2, 3, 4, 5, 8, 9, 30}) {
		var cs []call
		for i := range n {
			cs = append(cs, call{m: 1 + i%3*40, n: i % 4 * 13, k: 1, alpha: float32(i + 1)})
		}
		checkGroup(t, m, k, cs)
	}
}

// TestGroupRefuses: what has no grouped kernel is refused with what instead.
func TestGroupRefuses(t *testing.T) {
	d := gemm.Spec[float32, float32, float32, float32]{Name: "Sums", Grouped: true,
		Epilogue: gemm.Map1(func(x float32) float32 { return x }).RowSum("sums")}.Describe()
	half := gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Half", Grouped: true, Sparse: gemm.Sparse24}.Describe()
	for _, c := range []struct {
		d    gemm.Description
		want string
	}{
		{d, "reduction sums would have partial results for each product; leave Grouped out"},
		{half, "products of a sparse a are not of groups"},
	} {
		if _, err := Lower(c.d, sm80); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want ... %s ...", err, c.want)
		}
	}
}

var groupedModules = map[string]*Module{}

// groupedModule is the module of products(oneWarp)[name] with kernels for groups, which tests share.
func groupedModule(t *testing.T, name string) *Module {
	t.Helper()
	if groupedModules[name] == nil {
		d := products(oneWarp)[name].Describe()
		d.Grouped = true
		groupedModules[name] = lower(t, described(d))
	}
	return groupedModules[name]
}

type described gemm.Description

func (d described) Describe() gemm.Description { return gemm.Description(d) }

func sameTiles(g tiling.GPU) tiling.GPUTiles {
	return tiling.GPUTiles{Large: g, Pair: g, Small: g, Narrow: g}
}
