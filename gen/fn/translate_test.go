package fn

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// row is a function of package fntest. The IR in which nothing is fused must give
// the bits that Go gives, unless tol allows for functions that are not exact. If
// products are fused, the IR must give the bits of fused.
type row struct {
	f      any
	fused  any     // f with the fused operations written out; nil: not compared
	better any     // f with smaller errors than those of package math; nil: f itself
	tol    float64 // in units of the last place of the greatest of result and operands
}

var rows = []row{
	{f: fntest.Affine, fused: fma32},
	{f: fntest.Rounded, fused: fntest.Rounded},
	{f: fntest.Minus, fused: func(x, y, z float64) float64 { return math.FMA(-x, y, z) }},
	{f: fntest.MinusZ, fused: func(x, y, z float64) float64 { return math.FMA(x, y, -z) }},
	{f: fntest.NegProduct, fused: func(x, y, z float32) float32 { return fma32(-x, y, z) }},
	{f: fntest.NegSub, fused: func(x, y, z float32) float32 { return fma32(x, -3, -z) }},
	{f: fntest.TwoProducts, fused: func(x, y, z, w float32) float32 { return fma32(x, y, z*w) }},
	{f: fntest.Shared, fused: func(x, y, z float32) (float32, float32) { p := float32(x * y); return p + z, p }},
	{f: fntest.AcrossStatements, fused: fma32},
	{f: fntest.PolyRange, fused: func(x float64) float64 { return math.FMA(math.FMA(math.FMA(math.FMA(0, x, 1), x, 2), x, 3), x, 4) }},
	{f: fntest.Lines, fused: func(x float32) float32 { return fma32(x, 3, -1) }},
	{f: fntest.Relu}, {f: fntest.ReluIf}, {f: fntest.ReluLess},
	{f: fntest.Leaky[float32]}, {f: fntest.Leaky[float64]}, {f: fntest.LeakyConst},
	{f: fntest.HardSwish[float32]}, {f: fntest.HardSwish[float64]},
	{f: fntest.Eighth}, {f: fntest.Tiny}, {f: fntest.Divide}, {f: fntest.Denormal},
	{f: fntest.Norm[float32]}, {f: fntest.Norm[float64]}, {f: fntest.InvSqrt},
	{f: fntest.Poly[float32]}, {f: fntest.Poly[float64]}, {f: fntest.Newton},
	{f: fntest.Power}, {f: fntest.Search}, {f: fntest.Classify}, {f: fntest.Bits}, {f: fntest.Bits64},
	{f: fntest.Extremes}, {f: fntest.Extremes64}, {f: fntest.Selects},
	{f: fntest.Roundings}, {f: fntest.Roundings64}, {f: fntest.Signs},
	{f: fntest.Wide}, {f: fntest.WideCompare}, {f: fntest.WideCompares}, {f: fntest.Fused}, {f: fntest.Swap},
	{f: fntest.Logic}, {f: fntest.Masked}, {f: fntest.CrossPackage}, {f: fntest.Helpers},
	{f: fntest.ByType[float32]}, {f: fntest.ByType[float64]}, {f: fntest.Nested}, {f: fntest.Fallthrough},
	{f: fntest.Requant}, {f: fntest.RequantIf}, {f: fntest.RequantElse}, {f: fntest.ToInt64},
	{f: fntest.IntMix}, {f: fntest.Shifts}, {f: fntest.Divides}, {f: fntest.Narrow}, {f: fntest.FromInts},
	{f: fntest.FromUint64}, {f: fntest.IntOrder}, {f: fntest.Saturate}, {f: fntest.Wrap}, {f: fntest.Hash},
	{f: fntest.DivideBy}, {f: fntest.DivideVar}, {f: fntest.ShiftBy}, {f: fntest.CountBits}, {f: fntest.Swapped}, {f: fntest.Large}, {f: fntest.Wide64},
	{f: fntest.Dequantize}, {f: fntest.Level}, {f: fntest.Lookups}, {f: fntest.Local}, {f: fntest.Half},
	{f: fntest.Median}, {f: fntest.Count}, {f: fntest.Quantize},
	{f: fntest.ScaleBF16}, {f: fntest.SelectF16}, {f: fntest.Narrow8}, {f: fntest.FlipBF16},
	{f: fntest.GELU[float32], tol: 8}, {f: fntest.GELU[float64], tol: 8}, {f: fntest.BiasGELU, tol: 8},
	{f: fntest.GELUErf, tol: 8}, {f: fntest.Sigmoid[float32], tol: 8}, {f: fntest.Sigmoid[float64], tol: 8},
	{f: fntest.SiLU, tol: 8}, {f: fntest.Softplus, tol: 8}, {f: fntest.ELU, tol: 4}, {f: fntest.LogSumExp2, tol: 8},
	{f: fntest.Tanh127, tol: 4},
}

// fma32 rounds once; the sum of exact products of float32 fits in 640 bits.
func fma32(x, y, z float32) float32 {
	if s := float64(x)*float64(y) + float64(z); s == 0 || s-s != 0 {
		return float32(s)
	}
	p := new(big.Float).SetPrec(640).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
	f, _ := p.Add(p, big.NewFloat(float64(z))).Float32()
	return f
}

// goFuses reports whether the compiler fuses products on this machine; then the
// functions here that leave it the choice are not compared with it.
func goFuses() bool {
	x := float32(1 + 0x1p-13)
	affine := reflect.ValueOf(fntest.Affine) // called, and not inlined
	return affine.Call([]reflect.Value{reflect.ValueOf(x), reflect.ValueOf(x), reflect.ValueOf(-x * x)})[0].Float() != 0
}

// loaded is the program that tests share: the go command takes a second, and so does reading what functions come from.
var loaded = sync.OnceValues(func() (*Program, error) {
	return Load(".", ".", "./testdata/fntest", langPath, "../../gemm/act", "../../gemm/tpp/op", "../../layout/quant")
})

func load(t testing.TB) *Program {
	t.Helper()
	p, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lookup(t testing.TB, p *Program, f any) *Func {
	t.Helper()
	r, err := ValueOf(f)
	if err != nil {
		t.Fatal(err)
	}
	fn, err := p.Lookup(r)
	if err != nil {
		t.Fatal(err)
	}
	return fn
}

// TestTranslate compares every function with its translation.
func TestTranslate(t *testing.T) {
	p := load(t)
	for _, r := range rows {
		f := lookup(t, p, r.f)
		t.Run(fmt.Sprint(f.Name, f.Params), func(t *testing.T) {
			switch {
			case r.tol > 0:
				compare(t, f, r.f, true, r.tol)
			case !f.sumsProducts() || !goFuses():
				compare(t, f, r.f, false, 0)
			}
			if r.fused != nil {
				compare(t, f, r.fused, true, 0)
			}
		})
	}
}

// compare calls native with the same numbers as the IR.
func compare(t *testing.T, f *Func, native any, fuse bool, tol float64) {
	k, fn := newKernel(t, f, fuse), reflect.ValueOf(native)
	rnd := rand.New(level.PCG(1, 2))
	bad := 0
	for range samples() / lanes {
		in := inputs(rnd, f)
		out := k.run(t, in)
		for l := range lanes {
			args := make([]reflect.Value, len(f.Params))
			for i := range args {
				args[i] = goValue(fn.Type().In(i), in[i][l])
			}
			for i, want := range fn.Call(args) {
				got := goValue(fn.Type().Out(i), out[i][l])
				inRange(t, f, i, out[i][l])
				if identical(got, want) || within(f.Results[i], got, want, args, tol) || f.hasFloatToInt() && !finite(args) {
					continue
				}
				t.Errorf("%s(%s), fused %v: result %d = %v, Go says %v", f.Name, show(args), fuse, i, got, want)
				if bad++; bad > 4 {
					return
				}
			}
		}
	}
}

// resultEnds are the intervals of the function that was looked at last: loops of many trips take long.
var resultEnds atomic.Pointer[struct {
	f    *Func
	ends []interval
}]

// inRange checks that result i lies in the interval that the analysis gives it.
func inRange(t *testing.T, f *Func, i int, bits uint64) {
	u, x := f.Results[i], 0.0
	switch {
	case u.Float(), u.Storage():
		x = floatOf(u, bits)
	case u == Uint64:
		x = float64(bits)
	default:
		x = float64(intOf(u, bits))
	}
	of := resultEnds.Load()
	if of == nil || of.f != f {
		of = &struct {
			f    *Func
			ends []interval
		}{f: f}
		for _, n := range f.out {
			of.ends = append(of.ends, rangeOf(n, nil))
		}
		resultEnds.Store(of)
	}
	if r := of.ends[i]; x < r.lo || x > r.hi {
		t.Errorf("%s: result %d is %v, outside of [%v, %v]", f.Name, i, x, r.lo, r.hi)
	}
}

func show(args []reflect.Value) string {
	var list []string
	for _, a := range args {
		list = append(list, fmt.Sprintf("%v (%T)", a, a.Interface()))
	}
	return strings.Join(list, ", ")
}

// within reports whether got is as near to want as tol allows.
func within(u Type, got, want reflect.Value, args []reflect.Value, tol float64) bool {
	if tol == 0 {
		return false
	}
	if !u.Float() {
		d := got.Int() - want.Int()
		return -1 <= d && d <= 1
	}
	size := math.Abs(want.Float())
	for _, a := range args {
		if x := math.Abs(a.Float()); !math.IsInf(x, 0) && size < x {
			size = x
		}
	}
	eps := 0x1p-24
	if u == Float64 {
		eps = 0x1p-53
	}
	return math.Abs(got.Float()-want.Float()) <= tol*eps*size
}

// sumsProducts reports whether Go may fuse something in f.
func (f *Func) sumsProducts() bool {
	for _, n := range f.order {
		if (n.op == opAdd || n.op == opSub) && (product(n.args[0]) != nil || product(n.args[1]) != nil) {
			return true
		}
	}
	return false
}

// hasFloatToInt reports whether some NaN may become an integer, which is not the
// same one everywhere.
func (f *Func) hasFloatToInt() bool {
	for _, n := range f.order {
		if n.op == opConv && n.t.Int() && n.args[0].t.Float() {
			return true
		}
	}
	return false
}

func finite(args []reflect.Value) bool {
	for _, a := range args {
		if a.CanFloat() && a.Float()-a.Float() != 0 {
			return false
		}
	}
	return true
}
