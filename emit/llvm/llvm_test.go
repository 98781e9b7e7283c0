package llvm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/llvm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

var targets = []emit.Target{amd64.AVX512, amd64.AVX2, arm64.NEON}

// input is what one call gets.
type input struct {
	n   int64
	x   float32
	on  bool
	y   float64
	mem []byte
}

// specials are the values at which operations change their mind: zeros, infinities,
// NaNs, denormals, halfway between integers and numbers of each type, the ends of the
// ints.
var specials = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, -0x1p-1050,
	math.MaxFloat32, math.MaxFloat64, 0.5, -0.5, 1.5, 2.5, -3.5, 0x1p-25, 0x1.8p-25, 65519.996, 65520, 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-23, 1 + 0x3p-11,
	1 + 0x1p-24, 1 + 0x3p-24, 0x1p31, -0x1p31, -0x1p31 - 1, 0x1p31 - 128, 0x1p31 - 0.5, 0x1p63, -0x1p63, -0x1p63 - 4096, 0x1p52 + 0.5, 0x1.ffp127, 0x1p-134}

func randomInput(r *rand.Rand) *input {
	in := &input{n: int64(r.IntN(70)), on: r.IntN(2) == 0, mem: make([]byte, inBytes)}
	number := func() float64 {
		switch r.IntN(3) {
		case 0:
			return pick(r, specials)
		case 1:
			return math.Float64frombits(r.Uint64())
		}
		return r.NormFloat64()
	}
	in.x, in.y = float32(number()), number()
	for at := 0; at < inBytes; {
		switch k := r.IntN(4); k {
		case 0, 1:
			binary.LittleEndian.PutUint64(in.mem[at:], math.Float64bits(number()))
		case 2:
			for i := range 2 {
				binary.LittleEndian.PutUint32(in.mem[at+4*i:], math.Float32bits(float32(number())))
			}
		case 3:
			binary.LittleEndian.PutUint64(in.mem[at:], uint64(r.IntN(40)-20))
		}
		at += 8
	}
	return in
}

const filler = 0x5a

// interpret returns what f leaves at q.
func interpret(f *emit.Func, in *input) ([]byte, error) {
	dst := &emit.Memory{Name: "q", Data: bytes.Repeat([]byte{filler}, maxSlots*slotBytes)}
	m := &emit.Machine{}
	m.Bind("p", emit.PtrTo(&emit.Memory{Name: "p", Data: in.mem, ReadOnly: true}, 0))
	m.Bind("q", emit.PtrTo(dst, 0))
	m.Bind("n", emit.IntWord(in.n))
	m.Bind("x", emit.F32Word(in.x))
	m.Bind("y", emit.F64Word(in.y))
	on := int64(0)
	if in.on {
		on = 1
	}
	m.Bind("on", emit.IntWord(on))
	err := m.Run(f)
	return dst.Data, err
}

// native returns what llc's function leaves at q, or an error if it writes beside it.
func native(f func(args unsafe.Pointer), in *input) ([]byte, error) {
	const guard = 68 // not a multiple of 8: nothing is aligned
	src, dst := make([]byte, inBytes+2*guard), bytes.Repeat([]byte{filler}, maxSlots*slotBytes+2*guard)
	copy(src[guard:], in.mem)
	f(unsafe.Pointer(&struct {
		p, q unsafe.Pointer
		n    int64
		x    float32
		on   bool
		y    float64
	}{unsafe.Pointer(&src[guard]), unsafe.Pointer(&dst[guard]), in.n, in.x, in.on, in.y}))
	out := dst[guard : len(dst)-guard]
	for _, b := range slices.Concat(dst[:guard], dst[len(dst)-guard:]) {
		if b != filler {
			return out, fmt.Errorf("writes outside of its slots")
		}
	}
	if !bytes.Equal(src[guard:len(src)-guard], in.mem) {
		return out, fmt.Errorf("writes to its input")
	}
	return out, nil
}

// differ says where two results differ, slot by slot; which NaN it is does not count.
func differ(slots []emit.Type, have, want []byte) string {
	for i := range maxSlots {
		e := emit.I8
		if i < len(slots) {
			e = slots[i].Elem
		}
		for at := i * slotBytes; at < (i+1)*slotBytes; at += e.Bytes() {
			var h, w uint64
			for b := range e.Bytes() {
				h |= uint64(have[at+b]) << (8 * b)
				w |= uint64(want[at+b]) << (8 * b)
			}
			if h == w || e.Float() && math.IsNaN(e.Decode(h)) && math.IsNaN(e.Decode(w)) {
				continue
			}
			s := fmt.Sprintf("slot %d, byte %d: llc has %#x, the interpreter %#x", i, at%slotBytes, h, w)
			if e.Float() {
				s += fmt.Sprintf(" (%v: %g, %g)", e, e.Decode(h), e.Decode(w))
			}
			return s
		}
	}
	return ""
}

// TestRandom compares what llc makes of random functions with the interpreter, bit for
// bit.
func TestRandom(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("many random functions")
	}
	for _, target := range targets {
		t.Run("target="+target.Name, func(t *testing.T) {
			var programs []program
			var fs []*emit.Func
			used := map[string]bool{}
			for seed := range level.Of[uint64](0, 120, 250) {
				p, err := random(seed, target, 5+int(seed%30))
				if err != nil {
					t.Fatal(err)
				}
				programs, fs = append(programs, p), append(fs, p.f)
				p.f.Body.Walk(func(op *emit.Op) {
					used[op.Def.Name] = true
				})
			}
			for _, name := range append(llvm.RowNames(), llvm.RegionNames()...) {
				if !used[name] {
					t.Errorf("no function here has %s", name)
				}
			}
			o := llctest.Compile(t, target, fs)
			r := rand.New(level.PCG(1, 2))
			calls, failed := 0, 0
			for _, p := range programs {
				f := o.Call(p.f.Name)
				for range 8 {
					in := randomInput(r)
					want, err := interpret(p.f, in)
					if err != nil {
						t.Fatalf("%v in\n%s", err, p.f)
					}
					have, err := native(f, in)
					if err != nil {
						t.Fatalf("%s: %v", p.f, err)
					}
					calls++
					if d := differ(p.slots, have, want); d != "" {
						t.Errorf("%s (n = %d): %s\n%s", p.f.Name, in.n, d, p.f)
						if failed++; failed == 3 {
							t.FailNow()
						}
						break
					}
				}
			}
			t.Logf("%d functions agree with the interpreter in %d calls", len(programs), calls)
		})
	}
}

// TestPointers has llc read both ways to write pointers, those that it knows.
func TestPointers(t *testing.T) {
	llc, err := peer.FindLLC()
	if err != nil {
		t.Skip(err)
	}
	for _, b := range []llvm.Backend{{}, {Opaque: true}} {
		args := []string{"-filetype=null"}
		switch {
		case !b.Opaque && llc.Major >= 17:
			continue // from there on they are all opaque
		case b.Opaque && llc.Major == 14:
			args = append(args, "-opaque-pointers")
		}
		for _, target := range targets {
			var fs []*emit.Func
			for seed := range uint64(20) {
				p, err := random(seed, target, 20)
				if err != nil {
					t.Fatal(err)
				}
				fs = append(fs, p.f)
			}
			fs = append(fs, build(t, "scratch", func(b *emit.Builder) {
				b.Store(b.Int(1), emit.At(b.Inst(inst.Scratch, 64)[0], 8))
			}))
			triple := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[target.Arch]
			cmd := exec.Command(llc.Path, append(slices.Clone(args), "-mtriple="+triple)...)
			cmd.Stdin = strings.NewReader(printed(t, b, target, fs...))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%+v for %s: llc %s: %v\n%.500s", b, target.Name, llc.Version, err, out)
			}
		}
	}
}
