package ptx_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/internal/level"
)

// arguments are what a random function is called with.
type arguments struct {
	in []byte
	n  int64
	i  int32
	x  float32
	h  uint16
	b  uint8
	y  float64
}

func randomArguments(seed uint64) arguments {
	r := rand.New(level.PCG(seed, 3))
	return arguments{randomInput(seed), r.Int64() >> r.IntN(64), int32(r.Uint32()), float32(r.NormFloat64()), uint16(0x3f80 + r.IntN(300)), uint8(r.Uint32()), r.NormFloat64() * 1000}
}

// interpret runs a random function and returns its output.
func (a arguments) interpret(t testing.TB, f *emit.Func) []byte {
	t.Helper()
	out := &emit.Memory{Name: "out", Space: emit.Global, Data: make([]byte, randomSize*outSlots*16)}
	m := &emit.Machine{Threads: randomSize, Shared: emit.NewMemory("smem", emit.Shared, randomSize*64)}
	m.Bind("in", emit.PtrTo(&emit.Memory{Name: "in", Space: emit.Global, Data: bytes.Clone(a.in)}, 0))
	m.Bind("out", emit.PtrTo(out, 0))
	m.Bind("n", emit.IntWord(a.n))
	m.Bind("i", emit.IntWord(int64(uint32(a.i))))
	m.Bind("x", emit.F32Word(a.x))
	m.Bind("h", emit.IntWord(int64(a.h)))
	m.Bind("b", emit.IntWord(int64(a.b)))
	m.Bind("y", emit.F64Word(a.y))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// differences compares two outputs of a random function.
func (p program) differences(t testing.TB, want, have []byte) (n int) {
	t.Helper()
	for thread := range randomSize {
		for slot, ty := range p.slots {
			for lane := range ty.Lanes {
				size := ty.Elem.Bytes()
				at := (thread*outSlots+slot)*16 + lane*size
				if a, b := want[at:at+size], have[at:at+size]; !sameNumbers(ty.Elem, a, b) {
					if n++; n < 5 {
						t.Errorf("%s: thread %d, slot %d, lane %d of %v: want %x, have %x", p.f.Name, thread, slot, lane, ty, a, b)
					}
				}
			}
		}
	}
	return n
}

// observe is an instruction that shows the interpreter's values.
var (
	seen    func(id int64, x int64) error
	observe = map[emit.Type]*emit.Instruction{emit.Int32: observer(emit.Int32), emit.Int64: observer(emit.Int64)}
)

func observer(t emit.Type) *emit.Instruction {
	return emit.Declare(emit.Instruction{Name: "test.observe." + t.String(), In: []emit.Type{t}, Mem: emit.Writes,
		Run: func(_ *emit.Machine, imm int64, in, _ [][]emit.Word) error {
			x := int64(in[0][0].Lane[0])
			if t == emit.Int32 {
				x = int64(int32(x))
			}
			return seen(imm, x)
		}})
}

// The passes keep the meaning of random functions, and every integer is in the range
// that it is said to have: an instruction after each looks.
func TestRandomMeaning(t *testing.T) {
	n := level.Of[uint64](30, 60, 3000)
	inRange := 0
	for seed := range n {
		p, err := randomProgram(seed, 20+int(seed%60))
		if err != nil {
			t.Fatal(err)
		}
		args := randomArguments(seed)
		want := args.interpret(t, p.f)
		if err := emit.Run(p.f, ptx.Backend{}.Passes(ptx.SM80), nil); err != nil {
			t.Fatal(err)
		}
		rangeOf := ptx.RangesOf(p.f)
		var watched []*emit.Value
		var watch func(b *emit.Block)
		watch = func(b *emit.Block) {
			var out []*emit.Op
			look := func(vs []*emit.Value) {
				for _, v := range vs {
					if in := observe[v.Type]; in != nil {
						out = append(out, &emit.Op{Def: emit.Lookup("inst"), Inst: in, Args: []*emit.Value{v}, Attr: emit.Attr{Imm: int64(len(watched))}})
						watched = append(watched, v)
					}
				}
			}
			look(b.Args)
			for _, op := range b.Ops {
				for _, in := range op.Blocks {
					watch(in)
				}
				out = append(out, op)
				look(op.Results)
			}
			b.Ops = out
		}
		watch(p.f.Body)
		seen = func(id, x int64) error {
			if lo, hi := rangeOf(watched[id]); x < lo || x > hi {
				return fmt.Errorf("%d is not from %d to %d", x, lo, hi)
			} else if lo > -1<<31 && hi < 1<<31 {
				inRange++
			}
			return nil
		}
		if p.differences(t, want, args.interpret(t, p.f)) > 0 {
			t.FailNow()
		}
	}
	if inRange == 0 {
		t.Error("no range was small")
	}
}
