package fn

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/quant"
)

// quantFuncs are functions of package quant, and requantising written out as users do.
var quantFuncs = []any{
	quant.Saturate[int8], quant.Saturate[uint8], quant.Saturate[int16],
	quant.Quantise[int8], quant.Quantise[uint8], quant.Quantise[int16],
	quant.Restore[int8], quant.Restore[uint8], quant.Restore[int16],
	quant.Dequantise, quant.DequantiseBias,
	quant.Requantise[int8], quant.Requantise[uint8], quant.Requantise[int16],
	quant.RequantiseBias[int8], quant.RequantiseBias[uint8], quant.RequantiseBias[int16],
}

// TestQuant: translated functions of package quant are those of Go to the bit, for every
// operand, on every target: of NaN and infinities, too.
func TestQuant(t *testing.T) {
	p := load(t)
	var list []*subject
	for i, native := range quantFuncs {
		f := lookup(t, p, native)
		if f.Widest().Bits() > 32 {
			t.Errorf("%s works in lanes of %v", f.Name, f.Widest())
		}
		if len(f.fused) > 0 {
			t.Errorf("%s has a product in a sum, whose bits Go leaves to machines", f.Name)
		}
		compare(t, f, native, true, 0)
		x := &subject{name: fmt.Sprintf("f%d", i), text: f.Name, f: f}
		x.in = inputs(rand.New(level.PCG(uint64(i), 3)), f)
		fn, k := reflect.ValueOf(native), newKernel(t, f, true)
		out := k.run(t, x.in)
		for l := range lanes {
			args := make([]reflect.Value, len(f.Params))
			for j := range args {
				args[j] = goValue(fn.Type().In(j), x.in[j][l])
			}
			want := fn.Call(args)[0]
			if have := goValue(want.Type(), out[0][l]); !identical(have, want) {
				t.Errorf("%s(%s) is %v, Go says %v", f.Name, show(args), have, want)
			}
			x.want = append(x.want, []num{{t: f.Results[0], bits: bitsOfGo(want)}})
		}
		list = append(list, x)
	}
	everywhere(t, list, level.RunsGo())
}

// bitsOfGo is the inverse of goValue, of numbers.
func bitsOfGo(v reflect.Value) uint64 {
	switch {
	case v.CanFloat():
		return floatBits(map[int]Type{32: Float32, 64: Float64}[v.Type().Bits()], v.Float())
	case v.CanInt():
		s := 64 - v.Type().Bits()
		return uint64(v.Int()) << s >> s
	}
	return v.Uint()
}
