package fn

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// samples is how many scalars each function is called with.
func samples() int {
	return level.Of(640, 1_920, 100_000)
}

const lanes = 64

// kernel is a function on memory: operands and results are columns of lanes, truth
// values are bytes.
type kernel struct {
	f  *Func
	ir *emit.Func
}

func newKernel(t testing.TB, f *Func, fuse bool) kernel {
	t.Helper()
	args := []emit.Arg{{Name: "in", Type: emit.Ptr}, {Name: "out", Type: emit.Ptr, Offset: 8}}
	ir, err := emit.Build("test", args, func(b *emit.Builder) {
		in, out := b.Param("in", emit.Ptr), b.Param("out", emit.Ptr)
		var x []*emit.Value
		for i, p := range f.Params {
			at := emit.At(in, int64(i*lanes*8))
			if p == Bool {
				v := b.Load(emit.Vector(emit.I8, lanes), at)
				x = append(x, b.Cmp("ne", v, b.Const(v.Type, 0)))
				continue
			}
			x = append(x, b.Load(emit.Vector(p.Elem(), lanes), at))
		}
		y, err := f.emit(b, lanes, x, fuse)
		if err != nil {
			b.Refuse("%v", err)
		}
		for i, v := range y {
			if f.Results[i] == Bool {
				bytes := emit.Vector(emit.I8, lanes)
				v = b.Select(v, b.Const(bytes, 1), b.Const(bytes, 0))
			}
			b.Store(v, emit.At(out, int64(i*lanes*8)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return kernel{f, ir}
}

// run executes the kernel on columns of bit patterns.
func (k kernel) run(t testing.TB, in [][]uint64) [][]uint64 {
	t.Helper()
	mem := &emit.Memory{Name: "in", Data: make([]byte, len(in)*lanes*8)}
	for i, p := range k.f.Params {
		for l, v := range in[i] {
			put(mem.Data[i*lanes*8+l*width(p):], width(p), v)
		}
	}
	res := &emit.Memory{Name: "out", Data: make([]byte, len(k.f.Results)*lanes*8)}
	var m emit.Machine
	m.Bind("in", emit.PtrTo(mem, 0))
	m.Bind("out", emit.PtrTo(res, 0))
	if err := m.Run(k.ir); err != nil {
		t.Fatal(err)
	}
	out := make([][]uint64, len(k.f.Results))
	for i, r := range k.f.Results {
		for l := range lanes {
			out[i] = append(out[i], get(res.Data[i*lanes*8+l*width(r):], width(r)))
		}
	}
	return out
}

func width(t Type) int { return max(t.Bits()/8, 1) }

func put(b []byte, w int, v uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	copy(b[:w], word[:])
}

func get(b []byte, w int) uint64 {
	var word [8]byte
	copy(word[:], b[:w])
	return binary.LittleEndian.Uint64(word[:])
}

// special are numbers at which something changes: zeros, halfway points, ends of
// integer types, the least and greatest of each format.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, 0.1, 1.0 / 3,
	126.5, 127, 127.5, 128, -127.5, -128, -128.5, -129, 254.5, 255, 255.5, 256, 32767.5, -32768.5, 65535.5,
	1 << 31, -1 << 31, 1<<31 - 1, 1 << 32, 1 << 63, -1 << 63, 8388607.5, 8388608, 8388609, 1 << 24, 4503599627370495.5,
	math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, 0x1.fffffcp-127, math.SmallestNonzeroFloat64, 0x1p-1022,
}

// input returns a bit pattern of type t: something special, any at all, or a
// number of ordinary size.
func input(r *rand.Rand, t Type) uint64 {
	if t == Bool {
		return r.Uint64() & 1
	}
	if t.Float() || t.Storage() {
		switch r.IntN(6) {
		case 0:
			return floatBits(t, special[r.IntN(len(special))])
		case 1:
			return truncateTo(t, r.Uint64())
		case 2:
			return floatBits(t, float64(r.IntN(41)-20)/4)
		case 3:
			return floatBits(t, r.NormFloat64()*100)
		}
		return floatBits(t, r.NormFloat64())
	}
	switch r.IntN(4) {
	case 0:
		return truncateTo(t, uint64(r.IntN(9)-4))
	case 1:
		return truncateTo(t, 1<<(t.Bits()-1)-uint64(r.IntN(3)))
	}
	return truncateTo(t, r.Uint64()>>r.IntN(64))
}

// inputs returns a column for each parameter.
func inputs(r *rand.Rand, f *Func) [][]uint64 {
	in := make([][]uint64, len(f.Params))
	for i, p := range f.Params {
		for range lanes {
			in[i] = append(in[i], input(r, p))
		}
	}
	return in
}

// goValue returns the value of Go type t with the given bits.
func goValue(t reflect.Type, bits uint64) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(bits != 0)
	case reflect.Float32:
		*(*uint32)(v.Addr().UnsafePointer()) = uint32(bits) // SetFloat quiets a NaN, which may leave an infinity to a function of bits
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case reflect.Struct: // of package dtype: one field, the bits
		p := v.Addr().UnsafePointer()
		if t.Size() == 1 {
			*(*uint8)(p) = uint8(bits)
		} else {
			*(*uint16)(p) = uint16(bits)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s := 64 - t.Bits()
		v.SetInt(int64(bits<<s) >> s)
	default:
		v.SetUint(bits)
	}
	return v
}

// identical compares bits; all NaNs are one.
func identical(x, y reflect.Value) bool {
	if x.CanFloat() {
		a, b := x.Float(), y.Float()
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
	}
	if a, ok := x.Interface().(interface{ Float64() float64 }); ok {
		if b := y.Interface().(interface{ Float64() float64 }); math.IsNaN(a.Float64()) && math.IsNaN(b.Float64()) {
			return true
		}
	}
	return x.Interface() == y.Interface()
}
