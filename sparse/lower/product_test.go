package lower

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// translator is one that translates nothing: functions stay in the IR, where the
// interpreter calls them.
type translator struct {
	names   []string // of the calls that were asked for
	inlined int
	shown   int // epilogues with a Go function in them
	most    int // functions with more vectors in a row do not fit; 0: all do
	widest  emit.Elem
	long    int // if it is not 0, a function is so many additions
}

func (x *translator) Widest(any) (emit.Elem, error) { return max(x.widest, emit.F32), nil }

func (x *translator) Inline(fs ...*emit.Func) error {
	x.inlined += len(fs)
	for _, f := range fs {
		if x.long == 0 {
			break
		}
		if err := f.Inline(func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
			v := op.Args[0]
			for range x.long {
				v = b.Add(v, op.Args[1])
			}
			return []*emit.Value{v}, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func (x *translator) Epilogue(_ emit.Target, f *emit.Func) error {
	if strings.Contains(f.String(), "apply") {
		x.shown++
	}
	return x.Inline(f)
}

func (x *translator) Call(folder, name string, f any) (unit.Call, error) {
	x.names = append(x.names, folder+name)
	return unit.Call{Expr: "p." + name, ULP: 2}, nil
}

func (x *translator) Fits(t emit.Target, fs ...*emit.Func) error {
	if x.most > 0 && len(fs) > 4*x.most { // full and tail, fetching early or not
		return errors.New("no registers")
	}
	return nil
}

func bias(acc, b float32) float32    { return acc + b }
func further(acc, x float32) float32 { return max(acc, x) }

// TestSpec: what the description names is looked up once, and every kernel of the table
// is a function of the module with its block.
func TestSpec(t *testing.T) {
	tropical := spec.Semiring[float32]{Name: "far", Zero: -3e38, Plus: further, Times: bias}
	for at, c := range []struct {
		name  string
		d     spec.Description
		calls string
		loops string
		stock Stock
		block any
	}{
		{"rows", spec.SpMM[float32]{Name: "Agg"}.Describe(), "", "", Stock{"cpu/kern/spmmf", "RowsF32"}, kernel.SparseArgs{}},
		{"alone", spec.SpMM[float32]{Name: "Agg", Standalone: true}.Describe(), "", "", Stock{}, kernel.SparseArgs{}},
		{"vector", spec.SpMV[float64]{Name: "Agg"}.Describe(), "", "", Stock{"cpu/kern/spmmf", "RowsF64"}, kernel.SparseArgs{}},
		{"epilogue", spec.SpMM[float32]{Name: "Agg", Epilogue: gemm.Map2(bias, gemm.PerColumn[float32]("bias"))}.Describe(), "Agg", "",
			Stock{"cpu/kern/spmmf", "RowsF32"}, kernel.SparseArgs{}},
		{"semiring", spec.SpMM[float32]{Name: "Agg", Reduce: tropical}.Describe(), "AggPlus AggTimes", "", Stock{}, kernel.SparseArgs{}},
		{"coo", spec.SpMM[float32]{Name: "Agg", Format: format.COO}.Describe(), "", "i:vs j:s1", Stock{"cpu/kern/spmmf", "NestsF32"}, kernel.SparseArgs{}},
		{"dia", spec.SpMM[float32]{Name: "Agg", Format: format.DIA, Features: 8}.Describe(), "", "d:s i mask", Stock{"cpu/kern/spmmf", "NestsF32"}, kernel.SparseArgs{}},
		{"sell", spec.SpMM[float32]{Name: "Agg", Format: format.SELL(4, 8)}.Describe(), "", "io p:v ii j:s1 order", Stock{"cpu/kern/spmmf", "NestsF32"}, kernel.SparseArgs{}},
		{"sddmm", spec.SDDMM[float64]{Name: "Agg"}.Describe(), "", "", Stock{"cpu/kern/sddmmf", "KernelsF64"}, kernel.SparseArgs{}},
	} {
		if shortOmits(at) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			x := &translator{}
			p, err := Spec(c.d, x)
			if err != nil {
				t.Fatal(err)
			}
			if have := strings.Join(x.names, " "); have != c.calls || p.Loops != c.loops || len(p.Targets) != len(gemm.CPUTargets()) {
				t.Errorf("calls %q, want %q; loops %q, want %q; targets %v", have, c.calls, p.Loops, c.loops, p.Targets)
			}
			m, err := p.Lower(amd64.AVX2)
			if err != nil {
				t.Fatal(err)
			}
			stock := Stock{}
			if m.Stock != nil {
				stock = *m.Stock
			}
			if stock != c.stock || m.VL != amd64.AVX2.Lanes(p.elem) {
				t.Errorf("stock %v, want %v; %d lanes", stock, c.stock, m.VL)
			}
			listed := map[string]bool{}
			for _, e := range m.Table.Entries {
				if e.F != "" {
					listed[e.F] = true
				}
			}
			for _, f := range m.Funcs {
				block := reflect.TypeOf(c.block)
				if f.Name == m.Epi {
					block = reflect.TypeFor[kernel.EpiArgs]()
				} else if !listed[f.Name] {
					t.Errorf("%s is not in the table", f.Name)
				}
				if f.Block != block || !strings.HasPrefix(f.Name, "agg_avx2_") {
					t.Errorf("%s has a %v", f.Name, f.Block)
				}
				delete(listed, f.Name)
			}
			if len(listed) > 0 {
				t.Errorf("no functions: %v", listed)
			}
			own := len(m.Own())
			switch all := len(m.Funcs); {
			case m.Stock == nil && own != all, m.Stock != nil && m.Epi == "" && own != 0, m.Stock != nil && m.Epi != "" && own != 1:
				t.Errorf("%d of %d functions are its own", own, all)
			}
		})
	}
}

// TestFits: a semiring gets fewer vectors until its kernels find registers, and the
// epilogue is shown before it is translated.
func TestFits(t *testing.T) {
	x := &translator{most: 3}
	p, err := Spec(spec.SpMM[float32]{Name: "Far", Epilogue: gemm.Map2(bias, gemm.PerColumn[float32]("bias")),
		Reduce: spec.Semiring[float32]{Name: "far", Zero: -3e38, Plus: further, Times: bias}}.Describe(), x)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Lower(amd64.AVX2)
	if err != nil {
		t.Fatal(err)
	}
	if k := m.Table; k.NV != 3 || len(k.Of(kernel.FetchTail)) != 3 || k.One(kernel.Columns) != "" || x.shown != 1 || x.inlined == 0 {
		t.Errorf("%d vectors, shown %d times, %d inlined", k.NV, x.shown, x.inlined)
	}
	if p.Semiring.ULP() != 4 || p.Apply.Expr != "p.Far" {
		t.Errorf("%+v", p.Semiring)
	}
}

// TestLongStep: vectors have as many lanes as a register of the widest type that a step computes with, and
// the longer a step is, the fewer vectors a row has.
func TestLongStep(t *testing.T) {
	ring := spec.Semiring[float32]{Name: "far", Zero: -3e38, Plus: further, Times: bias}
	for _, d := range []spec.Description{
		spec.SpMM[float32]{Name: "Far", Reduce: ring}.Describe(),
		spec.SpMV[float32]{Name: "Far", Reduce: ring}.Describe(),
		spec.SegmentReduce[float32]{Name: "Far", Reduce: ring}.Describe(),
		spec.SpMM[float32]{Name: "Far", Reduce: ring, Format: format.ELL(4)}.Describe(),
	} {
		last := Widest(amd64.AVX2) + 1
		for _, long := range []int{4, 12, 400} {
			p, err := Spec(d, &translator{widest: emit.F64, long: long})
			if err != nil {
				t.Fatal(err)
			}
			m, err := p.Lower(amd64.AVX2)
			if err != nil {
				t.Fatal(err)
			}
			nv := 0
			for _, e := range m.Table.Entries {
				nv = max(nv, e.NV)
			}
			if m.VL != 4 || m.Table.VL != 4 || nv >= last && nv > 1 {
				t.Errorf("%v, %d additions: %d vectors of %d lanes, and %d of a shorter step", d.Operation, long, nv, m.VL, last)
			}
			last = nv
		}
		if last != 1 {
			t.Errorf("%v: %d vectors for a step of 800 additions", d.Operation, last)
		}
	}
}

// TestSpecRefused: the format of a spec has to say what its arrays have, and hold a
// matrix.
func TestSpecRefused(t *testing.T) {
	moved := format.SELL(2, 2)
	moved.Ordered = false
	for want, f := range map[string]format.Format{
		"Agg: format sell2_2 holds none of the matrices that it was tried with: sell2_2: it moves rows, and does not say so": moved,
		"Agg: axis j of format ell100000 has 100000 slots; 65536 is the most":                                                format.ELL(100_000),
	} {
		if _, err := Spec(spec.SpMM[float32]{Name: "Agg", Format: f}.Describe(), &translator{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
