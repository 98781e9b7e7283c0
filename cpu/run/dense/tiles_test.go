package dense_test

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmbf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi8"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/check"
)

// interpreted are the kernels of a product on tiles: those that multiply are executed by the
// interpreter, on the caller's memory and not a byte besides, and those that pack are Go.
func interpreted[A, B, Acc dtype.Elem](t *testing.T, target emit.Target) *kernel.Kernels {
	m, err := simd.Lower(gemm.Spec[A, B, Acc, Acc]{Name: "Tiled", Targets: []emit.Target{target}}.Describe(), target, simd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	micro := &kernel.Table[kernel.Func[kernel.Args]]{MR: m.MR, NV: m.NV, VL: m.VL, Depth: m.Depth, AtOnce: m.AtOnce, Heights: m.Heights}
	for _, x := range m.Entries {
		f := m.Funcs[slices.IndexFunc(m.Funcs, func(f *emit.Func) bool { return f.Name == x.F })]
		micro.Entries = append(micro.Entries, kernel.Entry[kernel.Func[kernel.Args]]{Form: x.Form, MR: x.MR, NV: x.NV, F: func(args *kernel.Args) { interpret(t, f, x.MR, x.NV, args) }})
	}
	kern := &kernel.Kernels{ISA: target.Name, Table: micro, Pack: wordPackers(m.Depth, m.VL, m.NV, dtype.Of[B]().Size())}
	kern.PackA = wordPackers(m.Depth, m.VL, m.NV, dtype.Of[A]().Size())
	return kern
}

// interpret executes a kernel for tiles of up to most rows and nv vectors.
func interpret(t *testing.T, f *emit.Func, most, nv int, args *kernel.Args) {
	memory := func(name string, p unsafe.Pointer, bytes int64, fixed bool) emit.Word {
		return emit.PtrTo(&emit.Memory{Name: name, Data: unsafe.Slice((*byte)(p), bytes), ReadOnly: fixed}, 0)
	}
	if args.Rows < 1 || int(args.Rows) > most || args.K%16 != 0 || args.CsA != 4 && args.K > 0 {
		t.Errorf("%s: %d rows of %d words that are %d bytes apart", f.Name, args.Rows, args.K, args.CsA)
	}
	rows, cols := args.Rows*args.Tiles, int64(nv-1)*16+args.N
	m := &emit.Machine{MaxSteps: 10_000_000}
	m.Bind("a", memory("A", args.A, max(0, (rows-1)*args.RsA+args.K*4), true))
	m.Bind("b", memory("B", args.B, max(0, (args.K-1)*args.LdB+cols*4), true))
	m.Bind("c", memory("C", args.C, (rows-1)*args.LdC+cols*4, false))
	for name, x := range map[string]int64{"rsa": args.RsA, "csa": args.CsA, "ldb": args.LdB, "ldc": args.LdC, "k": args.K, "tiles": args.Tiles, "n": args.N, "mode": args.Mode, "rows": args.Rows} {
		m.Bind(name, emit.IntWord(x))
	}
	m.Bind("alpha", emit.Word{Lane: []uint64{args.Alpha}})
	m.Bind("beta", emit.Word{Lane: []uint64{args.Beta}})
	if err := m.Run(f); err != nil {
		t.Errorf("%s: %v", f.Name, err)
	}
	if inst.TilesInUse(m) {
		t.Errorf("%s: tiles are in use at the end", f.Name)
	}
}

// wordPackers are what [kernel.Kernels] says of elements of so many bytes, depth of which
// are a word.
func wordPackers(depth, vl, nv, size int) *kernel.Table[kernel.Func[kernel.Args]] {
	at := func(p unsafe.Pointer, off int64, n int) []byte { return unsafe.Slice((*byte)(unsafe.Add(p, off)), n) }
	rows := func(a *kernel.Args, wide, cols int) {
		for s := range a.K {
			row := at(a.C, s*a.LdC, wide*4)
			clear(row)
			for q := range depth {
				from := at(a.B, (s*int64(depth)+int64(q))*a.LdB, cols*size)
				for j := range cols {
					copy(row[j*4+q*size:], from[j*size:(j+1)*size])
				}
			}
		}
	}
	p := new(kernel.Table[kernel.Func[kernel.Args]])
	add := func(form kernel.Form, f kernel.Func[kernel.Args]) {
		p.Entries = append(p.Entries, kernel.Entry[kernel.Func[kernel.Args]]{Form: form, F: f})
	}
	for v := 1; v <= nv; v++ {
		add(kernel.Panel, func(a *kernel.Args) { rows(a, v*vl, v*vl) })
	}
	add(kernel.Panel, func(a *kernel.Args) { rows(a, vl, int(a.N)) })
	add(kernel.Columns, func(a *kernel.Args) {
		for s := range a.K {
			for j := range int64(vl) {
				copy(at(a.C, s*a.LdC+j*4, 4), at(a.B, min(j, a.N-1)*a.LdB+s*4, 4))
			}
		}
	})
	for v := 1; v <= nv; v++ {
		add(kernel.Copy, func(a *kernel.Args) {
			for i := range a.K {
				row, n := at(a.C, i*a.LdC, v*vl*4), (v-1)*vl+int(a.N)
				clear(row[copy(row, at(a.B, i*a.LdB, n*4)):])
			}
		})
	}
	return p
}

// tiled is a product on tiles.
type tiled struct {
	name, isa string
	run       func(t *testing.T, native bool)
}

func tiledOf[A, B dtype.Elem, Acc dtype.Sum](target emit.Target, stock *dense.Set[Acc]) tiled {
	a, b, acc := dtype.Of[A](), dtype.Of[B](), dtype.Of[Acc]()
	return tiled{fmt.Sprintf("%v.%v", a, b), target.Name, func(t *testing.T, native bool) {
		s, opt := stock, run.Options{ISA: target.Name}
		if !native {
			s, opt = dense.MixedOf[Acc](interpreted[A, B, Acc](t, target), a, b), run.Options{}
		}
		c := check.MixedCase[A, B, Acc, Acc]{
			Name: "Tiled", MR: 32, NR: 32, KC: tiling.KCTiles * 4 / a.Size(), Threads: true,
			Call: func(threads int, out layout.Matrix[Acc], a layout.Matrix[A], b layout.Matrix[B]) {
				o := opt
				o.Threads = threads
				dense.Gemm(dense.Call[Acc]{Set: s, Name: "Tiled"}, &o, &out, &a, &b)
			},
			Store: func(sum Acc) Acc { return sum },
		}
		if acc != dtype.I32 {
			c.Flushes = true
		}
		check.Mixed(t, c)
	}}
}

var allTiled = []tiled{
	tiledOf[dtype.BF16, dtype.BF16, float32](amd64.AMXBF16, gemmbf16.BF16Set()),
	tiledOf[int8, int8, int32](amd64.AMXINT8, gemmi8.I8Set()),
	tiledOf[int8, uint8, int32](amd64.AMXINT8, gemmi8.I8U8Set()),
	tiledOf[uint8, int8, int32](amd64.AMXINT8, gemmi8.U8I8Set()),
	tiledOf[uint8, uint8, int32](amd64.AMXINT8, gemmi8.U8Set()),
}

// TestTiles runs products on tiles through the driver: by the interpreter everywhere, and
// by the machine where it has tiles; it says where it has none. The interpreter does two of
// them, the machine two, and a long run all of both. Packages gemmi8 and gemmbf16 have the same kernels.
func TestTiles(t *testing.T) {
	for i, p := range allTiled {
		t.Run(p.name+"/interpreter", func(t *testing.T) {
			if testing.Short() || (i > 0 || slices.Contains(run.ISAs(), p.isa)) && !level.Long() {
				t.Skip("the interpreter takes long; package simd interprets these kernels, too")
			}
			p.run(t, false)
		})
		t.Run(p.name+"/"+p.isa, func(t *testing.T) {
			if !slices.Contains(run.ISAs(), p.isa) {
				t.Skipf("NOT RUN ON HARDWARE: this machine, its system or this build has no %s", p.isa)
			}
			if i >= level.Of(0, 2, len(allTiled)) {
				t.Skip("a long run has all types")
			}
			p.run(t, true)
		})
	}
}

// TestTilesLayouts: however a and b lie, and however deep they are, kernels on tiles find
// whole words with zeros behind the last, by threads and with b packed before.
func TestTilesLayouts(t *testing.T) {
	t.Run("interpreter", func(t *testing.T) {
		tilesLayouts(t, dense.MixedOf[int32](interpreted[uint8, int8, int32](t, amd64.AMXINT8), dtype.U8, dtype.I8), "")
	})
	t.Run("amxint8", func(t *testing.T) {
		if !slices.Contains(run.ISAs(), "amxint8") {
			t.Skip("NOT RUN ON HARDWARE: this machine, its system or this build has no amxint8")
		}
		tilesLayouts(t, gemmi8.U8I8Set(), "amxint8")
	})
}

func tilesLayouts(t *testing.T, s *dense.Set[int32], isa string) {
	at := 0
	for _, shape := range [][3]int{{5, 7, 3}, {33, 40, 64}, {16, 33, 67}, {3, 2, 4*tiling.KCTiles + 70}, {50, 17, 61}} {
		m, n, k := shape[0], shape[1], shape[2]
		a, b := layout.New[uint8](m, k), layout.New[int8](k, n)
		for i := range a.Data {
			a.Data[i] = uint8(i*37 + i>>5)
		}
		for i := range b.Data {
			b.Data[i] = int8(i*91 + i>>4)
		}
		want := layout.New[int32](m, n)
		for i := range m {
			for j := range n {
				for x := range k {
					want.Data[i*n+j] += int32(a.At(i, x)) * int32(b.At(x, j))
				}
			}
		}
		for how, a := range layouts(a) {
			for lies, b := range layouts(b) {
				packed := dense.Pack(s, nil, run.Options{ISA: isa}, b)
				for _, opt := range []run.Options{{ISA: isa, Threads: 1 + at%2}, {ISA: isa, B: packed}} {
					at++
					out := layout.New[int32](m, n)
					dense.Gemm(dense.Call[int32]{Set: s}, &opt, &out, &a, &b)
					if !slices.Equal(out.Data, want.Data) {
						t.Errorf("%v, a by %s, b by %s, packed %v: the result is wrong", shape, how, lies, opt.B != nil)
					}
				}
			}
		}
	}
}

// TestTilesRefused: who asks for tiles where there are none gets an error that says what there
// is, before anything is computed.
func TestTilesRefused(t *testing.T) {
	if run.HasISA("amxint8") {
		t.Skip("this machine has tiles")
	}
	defer func() {
		e, ok := recover().(run.ISAError)
		if !ok || e.ISA != "amxint8" || slices.Contains(e.Have, "amxint8") || e.What != "gemmi8.I8Opt" {
			t.Errorf("panic %v, want an error that says what there is in place of amxint8", e)
		}
	}()
	gemmi8.I8Opt(run.Options{ISA: "amxint8"}, layout.New[int32](2, 2), layout.New[int8](2, 2), layout.New[int8](2, 2))
}
