package emit

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestPassesKeepMeaning executes random functions before and after each pass and
// compares the memory they leave. The passes must also have found something to do.
func TestPassesKeepMeaning(t *testing.T) {
	smaller := map[string]int{}
	for seed := range uint64(80) {
		f, err := Build("random", []Arg{{"p", Ptr, 0}, {"n", Int64, 8}}, func(b *Builder) {
			g := &randomFunc{b: b, r: rand.New(level.PCG(seed, 1))}
			g.ptrs = []*Value{b.Param("p", Ptr)}
			g.ints = []*Value{b.Param("n", Int64), b.Int(0), b.Int(1), b.Int(4)}
			g.vecs = []*Value{b.Const(Vector(F32, 4), 0.5), b.Load(Vector(F32, 4), At(g.ptrs[0], 0))}
			g.block(3)
		})
		if err != nil {
			t.Fatal(err)
		}
		before := f.String()
		want := runRandom(t, f)
		last := countOps(f)
		dump := func(after string, f *Func) {
			if got := runRandom(t, f); !bytes.Equal(got, want) {
				t.Fatalf("seed %d: another result after %s of\n%sthat is\n%s", seed, after, before, f)
			}
			smaller[after] += last - countOps(f)
			last = countOps(f)
		}
		if err := Run(f, []Pass{{"fold", Fold}, {"addr", FoldAddresses}, {"dce", DeadCode}}, dump); err != nil {
			t.Fatalf("seed %d: %v in\n%s", seed, err, before)
		}
		roundTrip(t, f)
	}
	if smaller["fold"] == 0 || smaller["addr"] != 0 || smaller["dce"] < 500 {
		t.Errorf("operations removed: %v", smaller)
	}
}

func countOps(f *Func) (n int) {
	f.Body.Walk(func(*Op) { n++ })
	return n
}

func runRandom(t *testing.T, f *Func) []byte {
	mem := NewMemory("p", Generic, 1<<12)
	for i := range int64(1 << 10) {
		if err := mem.Write(4*i, []byte{0, 0, byte(i), 0x3f}); err != nil { // floats between 0.5 and 2
			t.Fatal(err)
		}
	}
	m := &Machine{}
	m.Bind("p", PtrTo(mem, 0))
	m.Bind("n", IntWord(5))
	if err := m.Run(f); err != nil {
		t.Fatalf("%v in\n%s", err, f)
	}
	out, err := mem.Read(0, 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// randomFunc appends operations on values made before; pointers stay within 4 KiB.
type randomFunc struct {
	b          *Builder
	r          *rand.Rand
	ints, vecs []*Value
	ptrs       []*Value
}

func pick[T any](r *rand.Rand, xs []T) T { return xs[r.IntN(len(xs))] }

func (g *randomFunc) block(depth int) {
	b, r := g.b, g.r
	for range 8 + r.IntN(8) {
		i, j, x, y, p := pick(r, g.ints), pick(r, g.ints), pick(r, g.vecs), pick(r, g.vecs), pick(r, g.ptrs)
		small := b.And(i, b.Int(7))
		switch r.IntN(12) {
		case 0:
			g.ints = append(g.ints, b.one(pick(r, []string{"add", "sub", "mul", "and", "or", "xor"}), Attr{}, Int64, i, j))
		case 1:
			g.ints = append(g.ints, b.one(pick(r, []string{"shl", "shr"}), Attr{}, Int64, i, small))
		case 2:
			g.vecs = append(g.vecs, b.one(pick(r, []string{"add", "sub", "mul", "div"}), Attr{}, x.Type, x, y), b.FMA(x, y, y))
		case 3:
			g.vecs = append(g.vecs, b.Select(b.Cmp(pick(r, predicates), x, y), y, x))
		case 4:
			g.ptrs = append(g.ptrs, b.AddP(g.ptrs[0], b.Int(int64(r.IntN(64)*8))))
		case 5:
			k := b.Int(int64(r.IntN(4)))
			g.ptrs = append(g.ptrs, b.AddP(pick(r, g.ptrs[:min(3, len(g.ptrs))]), b.Shl(small, k)))
		case 6:
			g.ptrs = append(g.ptrs, b.AddP(pick(r, g.ptrs[:min(3, len(g.ptrs))]), b.Mul(b.Int(1<<r.IntN(4)), small)))
		case 7:
			g.vecs = append(g.vecs, b.Load(x.Type, Addr{p, small, 4, 16}))
		case 8:
			b.Store(x, At(p, int64(r.IntN(64)*4)))
		case 9:
			b.Store(i, Addr{p, small, 8, 8})
		case 10:
			if depth > 0 {
				c := b.Cmp(pick(r, predicates), i, j)
				side := func() []*Value {
					return g.nested(depth, func() []*Value { return []*Value{pick(r, g.ints), pick(r, g.vecs)} })
				}
				rs := b.If(c, side, side)
				g.ints, g.vecs = append(g.ints, rs[0]), append(g.vecs, rs[1])
			}
		case 11:
			if depth > 0 {
				rs := b.For(b.Int(0), small, 2, []*Value{i, x, y}, func(n *Value, c []*Value) []*Value {
					return g.nested(depth, func() []*Value {
						return []*Value{pick(r, g.ints), pick(r, g.vecs), pick(r, []*Value{c[2], c[1]})}
					}, n, c[0], c[1])
				})
				g.ints, g.vecs = append(g.ints, rs[0]), append(g.vecs, rs[1], rs[2])
			}
		}
	}
}

// nested appends a block that may use what is visible and args, and returns what
// yield picks before the block's values go out of sight.
func (g *randomFunc) nested(depth int, yield func() []*Value, args ...*Value) []*Value {
	ints, vecs, ptrs := g.ints, g.vecs, g.ptrs
	defer func() { g.ints, g.vecs, g.ptrs = ints, vecs, ptrs }()
	for _, v := range args {
		if v.Type == Int64 {
			g.ints = append(g.ints[:len(g.ints):len(g.ints)], v)
		} else {
			g.vecs = append(g.vecs[:len(g.vecs):len(g.vecs)], v)
		}
	}
	g.block(depth - 1)
	return yield()
}
