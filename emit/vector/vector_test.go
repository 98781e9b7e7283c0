package vector

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// interpret runs a body that reads int32 0 to 63 at a, and returns what it left of 64 at c, where -1 stood. n is 3.
func interpret(t *testing.T, body func(b *emit.Builder, a, c *emit.Value)) []int32 {
	t.Helper()
	args := []emit.Arg{{Name: "a", Type: emit.Ptr}, {Name: "c", Type: emit.Ptr, Offset: 8}, {Name: "n", Type: emit.Int64, Offset: 16}}
	f, err := emit.Build("f", args, func(b *emit.Builder) { body(b, b.Param("a", emit.Ptr), b.Param("c", emit.Ptr)) })
	if err != nil {
		t.Fatal(err)
	}
	in, out := make([]int32, 64), slices.Repeat([]int32{-1}, 64)
	for i := range in {
		in[i] = int32(i)
	}
	mem, m := emit.MemoryOf("c", emit.Generic, out), &emit.Machine{}
	m.Bind("a", emit.PtrTo(emit.MemoryOf("a", emit.Generic, in), 0))
	m.Bind("c", emit.PtrTo(mem, 0))
	m.Bind("n", emit.IntWord(3))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	mem.Decode(out)
	return out
}

// TestJoin: lane i of the result is the sum over the lanes of vector i, whichever way it is made and whatever there is besides.
func TestJoin(t *testing.T) {
	for _, lanes := range []int{4, 8} {
		v := emit.Vector(emit.I32, lanes)
		var want []int32
		for i := range lanes {
			want = append(want, int32(lanes*(2*i*lanes+lanes-1)/2))
		}
		load := func(b *emit.Builder, a *emit.Value, i int) *emit.Value {
			return b.Load(v, emit.At(a, int64(i*v.Bytes())))
		}
		all := func(b *emit.Builder, a *emit.Value, n int) (x []*emit.Value) {
			for i := range n {
				x = append(x, load(b, a, i))
			}
			return x
		}
		for _, c := range []struct {
			name string
			sum  func(b *emit.Builder, a *emit.Value) *emit.Value
			want []int32
		}{
			{"Join", func(b *emit.Builder, a *emit.Value) *emit.Value {
				return Join(b, (*emit.Builder).Add, all(b, a, lanes))[0]
			}, want},
			{"Join of three", func(b *emit.Builder, a *emit.Value) *emit.Value {
				return Join(b, (*emit.Builder).Add, all(b, a, 3))[0]
			}, want[:3]},
			{"JoinEach", func(b *emit.Builder, a *emit.Value) *emit.Value {
				return JoinEach(b, (*emit.Builder).Add, lanes, func(i int) *emit.Value { return load(b, a, i) })
			}, want},
			{"EveryLane", func(b *emit.Builder, a *emit.Value) *emit.Value {
				return EveryLane(b, (*emit.Builder).Add, load(b, a, 1))
			}, slices.Repeat(want[1:2], lanes)},
			{"Fold", func(b *emit.Builder, a *emit.Value) *emit.Value {
				return EveryLane(b, (*emit.Builder).Add, Fold(b, (*emit.Builder).Add, all(b, a, 4), 2)[1])
			}, slices.Repeat([]int32{want[1] + want[3]}, lanes)},
		} {
			have := interpret(t, func(b *emit.Builder, a, out *emit.Value) { b.Store(c.sum(b, a), emit.At(out, 0)) })
			if have := have[:len(c.want)]; !slices.Equal(have, c.want) {
				t.Errorf("%s of %d lanes: %v, want %v", c.name, lanes, have, c.want)
			}
		}
	}
}

// TestPanel: of a tail nothing is loaded or stored behind its columns.
func TestPanel(t *testing.T) {
	for _, c := range []struct {
		tail bool
		want string
	}{{false, "[4 5 6 7 8 9 10 11 -1]"}, {true, "[4 5 6 7 8 9 10 -1 -1]"}} {
		have := interpret(t, func(b *emit.Builder, a, out *emit.Value) {
			p := Panel{Vec: emit.Vector(emit.I32, 4), N: 2}.Cut(b, c.tail)
			a = b.AddP(a, b.Int(16))
			Fetch(b, a, p.Bytes())
			for j := range p.N {
				p.Store(b, p.Load(b, a, j), out, j)
			}
		})
		if have := fmt.Sprint(have[:9]); have != c.want {
			t.Errorf("tail %v: %v, want %v", c.tail, have, c.want)
		}
	}
}

// TestRows: every row is reached, by as few pointers as there have to be.
func TestRows(t *testing.T) {
	for n, pointers := range map[int]int{1: 1, 3: 1, 4: 1, 5: 1, 6: 2, 10: 2, 11: 3} {
		have := interpret(t, func(b *emit.Builder, a, out *emit.Value) {
			r := NewRows(b, a, b.Shl(b.Param("n", emit.Int64), b.Int(2)), n) // rows of three
			if len(r.Bases) > pointers {
				t.Errorf("%d rows have %d pointers, want %d", n, len(r.Bases), pointers)
			}
			for i := range n {
				b.Store(b.Load(emit.Scalar(emit.I32), r.At(i, 4)), emit.At(out, int64(4*i)))
			}
		})
		for i, x := range have[:n] {
			if x != int32(3*i+1) {
				t.Errorf("row %d of %d has %d, want %d", i, n, x, 3*i+1)
			}
		}
	}
}

// TestFamily: a family keeps the first error and builds nothing after it.
func TestFamily(t *testing.T) {
	f := &emit.Family{Of: "made", Prefix: "a_", Suffix: "_fast"}
	good := func(b *emit.Builder) {}
	if have := f.Add("one", "does nothing.", good); have != "a_one_fast" || len(f.Funcs) != 1 || f.Funcs[0].Doc != "a_one_fast does nothing." {
		t.Errorf("%s, and %v", have, f.Funcs)
	}
	f.Add("two", "", func(b *emit.Builder) { b.Param("nobody's", emit.Ptr) })
	if f.Err == nil || !strings.HasPrefix(f.Err.Error(), "made: ") {
		t.Fatalf("error %v", f.Err)
	}
	first := f.Err
	if f.Add("three", "", good); len(f.Funcs) != 1 || f.Err != first {
		t.Errorf("after an error there are %d functions, and the error %v", len(f.Funcs), f.Err)
	}
}

// TestSlotArgs: of a block's slots there are those that are asked for, and fields before and behind them.
func TestSlotArgs(t *testing.T) {
	var names []string
	for _, a := range SlotArgs(emit.F32, 2)[3:10] {
		names = append(names, a.Name)
	}
	if have, want := strings.Join(names, " "), "rows cols p0 rs0 p1 rs1 m32"; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}
