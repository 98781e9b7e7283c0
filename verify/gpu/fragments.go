package gpu

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

//go:embed fragments.ptx
var fragmentsPTX string

// fragment is an instruction whose registers are dumped. Words of each lane go in; the
// first 16-bit ones are of type elem and the rest f32.
type fragment struct {
	name string
	in   int // words a lane
	half int // of them, those of two 16-bit elements
	elem dtype.Type
}

var fragments = []fragment{
	{"mma_bf16", 10, 6, dtype.TypeBF16}, {"mma_f16", 10, 6, dtype.TypeF16}, {"ldmatrix", 4, 0, 0}, {"ldmatrix_trans", 4, 0, 0},
}

const fragmentOut = 4 * 32 * 4 // bytes: four words of 32 lanes

// The kinds of inputs: on the first, results are exact and so the same everywhere.
var fragmentInputs = []string{"integers", "normal", "special"}

// input returns what goes into one run.
func (f fragment) input(kind string) []byte {
	rng := rand.New(rand.NewPCG(uint64(len(kind)), uint64(f.in)))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 1e-40, 6e-8, 65504, 3e38}
	number := func() float64 {
		switch kind {
		case "integers":
			return float64(rng.IntN(17) - 8)
		case "normal":
			return rng.NormFloat64()
		}
		return special[rng.IntN(len(special))]
	}
	half := func() uint16 {
		if f.elem == dtype.TypeF16 {
			return dtype.ToF16(number()).Bits()
		}
		return dtype.ToBF16(number()).Bits()
	}
	var b []byte
	for w := range f.in {
		for range 32 {
			switch {
			case f.elem == 0:
				b = binary.LittleEndian.AppendUint32(b, rng.Uint32())
			case w < f.half:
				b = binary.LittleEndian.AppendUint16(b, half())
				b = binary.LittleEndian.AppendUint16(b, half())
			default:
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(number())))
			}
		}
	}
	return b
}

// Fragments dumps the registers of every instruction for every kind of input.
func Fragments(s cuda.Stream) (vs []Vector, err error) {
	m, err := s.Device().Load(fragmentsPTX)
	if err != nil {
		return nil, err
	}
	defer m.Unload()
	for _, f := range fragments {
		fn, err := m.Function(f.name)
		if err != nil {
			return nil, err
		}
		for _, kind := range fragmentInputs {
			v := Vector{Name: f.name + " " + kind, In: f.input(kind)}
			if v.Out, err = f.dump(s, fn, v.In); err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
			vs = append(vs, v)
		}
	}
	return vs, nil
}

func (f fragment) dump(s cuda.Stream, fn cuda.Function, in []byte) ([]byte, error) {
	src, err := s.Device().Alloc(int64(len(in)))
	if err != nil {
		return nil, err
	}
	defer src.Free()
	dst, err := s.Device().Alloc(fragmentOut)
	if err != nil {
		return nil, err
	}
	defer dst.Free()
	if err := s.Write(src, 0, in); err != nil {
		return nil, err
	}
	params := binary.LittleEndian.AppendUint64(nil, src.Address())
	params = binary.LittleEndian.AppendUint64(params, dst.Address())
	if err := fn.Launch(s, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}}, params); err != nil {
		return nil, err
	}
	out := make([]byte, fragmentOut)
	return out, s.Read(out, dst, 0)
}

// CompareFragments holds vectors, of a GPU, against what the emulator makes of the
// same inputs: exact ones must agree to the bit. notes says how often others differ,
// which hardware may: it rounds sums of products as it likes.
func CompareFragments(vs []Vector) (notes []string, err error) {
	d, err := emu.Open(emu.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	want, err := Fragments(s)
	if err != nil {
		return nil, err
	}
	if len(vs) != len(want) {
		return nil, fmt.Errorf("%d vectors, want %d", len(vs), len(want))
	}
	for i, w := range want {
		v := vs[i]
		if v.Name != w.Name || !bytes.Equal(v.In, w.In) {
			return nil, fmt.Errorf("vector %d is %s, want %s on the same input", i+1, v.Name, w.Name)
		}
		words := 0
		for j := 0; j < min(len(v.Out), len(w.Out)); j += 4 {
			if !bytes.Equal(v.Out[j:j+4], w.Out[j:j+4]) {
				words++
			}
		}
		exact := i%len(fragmentInputs) == 0 || i/len(fragmentInputs) >= 2 // integers; copies
		switch {
		case len(v.Out) != len(w.Out) || exact && words > 0:
			return nil, fmt.Errorf("%s: %d of %d words are not those of the emulator: the fragment's layout is wrong in one of the two", v.Name, words, len(w.Out)/4)
		case words > 0:
			notes = append(notes, fmt.Sprintf("%s: %d of %d words differ from the emulator's", v.Name, words, len(w.Out)/4))
		}
	}
	return notes, nil
}
