package ptx_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/internal/level"
)

// The emulator was written from the PTX ISA and knows nothing of this package. What
// it makes of the text must be what the interpreter makes of the function, bit for
// bit; only NaNs are all the same.

// kernel loads a listing and returns a function of it.
func kernel(t testing.TB, d cuda.Device, l *ptx.Listing, name string) cuda.Function {
	t.Helper()
	m, err := d.Load(l.Text)
	if err != nil {
		t.Fatalf("%v\n%s", err, l.Text)
	}
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func device(t testing.TB) (cuda.Device, cuda.Stream) {
	t.Helper()
	d, err := emu.Open(emu.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, s
}

// memory returns device memory that holds data.
func memory(t testing.TB, d cuda.Device, s cuda.Stream, data []byte) cuda.Memory {
	t.Helper()
	m, err := d.Alloc(int64(len(data)))
	if err == nil {
		err = s.Write(m, 0, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func contents(t testing.TB, s cuda.Stream, m cuda.Memory) []byte {
	t.Helper()
	out := make([]byte, m.Bytes())
	err := s.Synchronize()
	if err == nil {
		err = s.Read(out, m, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRandomEmulated(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("many random functions")
	}
	d, s := device(t)
	for seed := range level.Of[uint64](0, 80, 5000) {
		p, err := randomProgram(seed, 30+int(seed%90))
		if err != nil {
			t.Fatal(err)
		}
		a := randomArguments(seed)
		want := a.interpret(t, p.f)
		before := p.f.String()
		l := print(t, ptx.SM80, p.f)
		f := kernel(t, d, l, p.f.Name)
		in, out := memory(t, d, s, a.in), memory(t, d, s, make([]byte, len(want)))
		var block bytes.Buffer
		for _, v := range []any{in.Address(), out.Address(), a.n, a.i, a.x, a.h, a.b, uint8(0), uint32(0), a.y} {
			if err := binary.Write(&block, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		err = f.Launch(s, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{randomSize, 1, 1}, Shared: p.f.Shared}, block.Bytes())
		if err == nil {
			err = s.Synchronize()
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, l.Text)
		}
		if p.differences(t, want, contents(t, s, out)) > 0 {
			if dir := os.Getenv("TILESMITH_DUMP"); dir != "" {
				os.WriteFile(dir+"/bad.ir", []byte(before), 0o600)
				os.WriteFile(dir+"/bad.ptx", []byte(l.Text), 0o600)
			}
			t.FailNow()
		}
		in.Free()
		out.Free()
	}
}

// elements is how many a kernel of [elementwise] has in the tests here.
const elements = 5 * 128

// elementsOf runs such a kernel, of results of size bytes in all, on the interpreter and on the emulator.
func elementsOf(t *testing.T, d cuda.Device, s cuda.Stream, fn *emit.Func, args [][]byte, size int) (want, got []byte) {
	t.Helper()
	results := &emit.Memory{Name: "out", Space: emit.Global, Data: make([]byte, size)}
	for block := range int64(elements / 128) {
		m := &emit.Machine{Threads: 128, SRegs: func(name string, thread int) uint64 {
			if name == "ctaid.x" {
				return uint64(block)
			}
			return uint64(thread)
		}}
		m.Bind("out", emit.PtrTo(results, 0))
		for k := range args {
			m.Bind(string(rune('a'+k)), emit.PtrTo(&emit.Memory{Name: "in", Space: emit.Global, Data: args[k]}, 0))
		}
		m.Bind("n", emit.IntWord(elements))
		if err := m.Run(fn); err != nil {
			t.Fatal(err)
		}
	}
	k := kernel(t, d, print(t, ptx.SM80, fn), fn.Name)
	out := memory(t, d, s, make([]byte, size))
	block := binary.LittleEndian.AppendUint64(nil, out.Address())
	for _, a := range args {
		block = binary.LittleEndian.AppendUint64(block, memory(t, d, s, a).Address())
	}
	block = binary.LittleEndian.AppendUint64(block, elements)
	if err := k.Launch(s, cuda.Grid{Blocks: [3]int{elements / 128, 1, 1}, Threads: [3]int{128, 1, 1}}, block); err != nil {
		t.Fatal(err)
	}
	return results.Data, contents(t, s, out)
}

// Every mathematical function on special and random arguments.
func TestVmathEmulated(t *testing.T) {
	d, s := device(t)
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2.5, 88.7, -87.4, 104, 709.8, -745.2, 1e-40, 1e-310, 3e38, 1e308, 1e-300,
		math.Inf(1), math.Inf(-1), math.NaN(), 1.5, -2.5, 8388608.5, 0.49999997, 1e-8}
	for _, name := range vmath.Names() {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			f := vmath.Lookup(name)
			fn := elementwise(t, f, e)
			r := rand.New(level.PCG(7, uint64(e)))
			const n, size = elements, elements * 8
			args := make([][]byte, 3)
			for k := range args {
				for i := range n {
					x := math.Ldexp(r.NormFloat64(), r.IntN(20)-10)
					switch {
					case i < len(special)*len(special):
						x = special[[]int{i % len(special), i / len(special), (i * 7) % len(special)}[k]]
					}
					u := e.Encode(x)
					if e == emit.F32 {
						args[k] = binary.LittleEndian.AppendUint32(args[k], uint32(u))
					} else {
						args[k] = binary.LittleEndian.AppendUint64(args[k], u)
					}
				}
			}
			want, got := elementsOf(t, d, s, fn, args, size)
			for i := range n {
				at := i * e.Bytes()
				if a, b := want[at:at+e.Bytes()], got[at:at+e.Bytes()]; !sameNumbers(e, a, b) {
					t.Errorf("%s of %v, element %d (%x): interpreter %x, emulator %x", name, e, i, args[0][at:at+e.Bytes()], a, b)
					break
				}
			}
		}
	}
}

// The warp's product through a multistage buffer of asynchronous copies, checked for races.
func TestMmaRingEmulated(t *testing.T) {
	const tiles = 7
	a, b := make([]byte, tiles*512), make([]byte, tiles*512)
	for i := range tiles * 256 {
		binary.LittleEndian.PutUint16(a[2*i:], uint16(emit.BF16.Encode(float64(i*11%19-9))))
		binary.LittleEndian.PutUint16(b[2*i:], uint16(emit.BF16.Encode(float64(i*7%13-6))))
	}
	fn := mmaRing(t)
	want := &emit.Memory{Name: "c", Space: emit.Global, Data: make([]byte, 1024)}
	m := &emit.Machine{Threads: 32, Shared: emit.NewMemory("smem", emit.Shared, fn.Shared)}
	m.Bind("a", emit.PtrTo(&emit.Memory{Name: "a", Space: emit.Global, Data: a}, 0))
	m.Bind("b", emit.PtrTo(&emit.Memory{Name: "b", Space: emit.Global, Data: b}, 0))
	m.Bind("c", emit.PtrTo(want, 0))
	m.Bind("tiles", emit.IntWord(tiles))
	if err := m.Run(fn); err != nil {
		t.Fatal(err)
	}
	l := print(t, ptx.SM80, fn)
	for _, async := range []emu.Completion{emu.Earliest, emu.Latest, emu.Random} {
		d, err := emu.Open(emu.Options{Async: async, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		c := memory(t, d, s, make([]byte, 1024))
		block := binary.LittleEndian.AppendUint64(nil, memory(t, d, s, a).Address())
		block = binary.LittleEndian.AppendUint64(block, memory(t, d, s, b).Address())
		block = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(block, c.Address()), tiles)
		k := kernel(t, d, l, fn.Name)
		if err := k.Launch(s, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}, Shared: fn.Shared}, block); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, s, c); !bytes.Equal(got, want.Data) {
			t.Errorf("the sums differ, copies complete %v", async)
		}
		d.Close()
	}
	if !strings.Contains(l.Text, "cp.async") {
		t.Error("nothing was copied")
	}
}
