//go:build ignore

package main

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// args are the fields of kernel.Args that these kernels read.
var args = func() (list []emit.Arg) {
	for _, f := range kernel.Fields[kernel.Args]() {
		switch {
		case f.Pointer && f.Name != "a":
			list = append(list, emit.Arg{Name: f.Name, Type: emit.Ptr, Offset: f.Offset})
		case f.Name == "ldb" || f.Name == "k" || f.Name == "tiles" || f.Name == "next":
			list = append(list, emit.Arg{Name: f.Name, Type: emit.Int64, Offset: f.Offset})
		}
	}
	return list
}()

func main() {
	targets := append(gemm.CPUTargets(), amd64.AVX512BF16, amd64.AVX512VNNI, amd64.AVXVNNI, amd64.AMXBF16, amd64.AMXINT8)
	gen.Main(gen.Functions{Name: "kernels", Targets: targets, Build: func(t emit.Target) ([]*emit.Func, error) {
		var fs []*emit.Func
		add := func(name string, body func(b *emit.Builder)) error {
			f, err := emit.Build(name+"_"+t.Name, args, body)
			fs = append(fs, f)
			return err
		}
		for _, x := range dots[t.Name] {
			for bits := t.Bits; bits >= 256; bits /= 2 {
				for _, n := range []int{8, 10, 12} {
					if err := add(fmt.Sprintf("%s_%d_%d", x.name, bits, n), func(b *emit.Builder) { dot(b, x.of(bits/32), n) }); err != nil {
						return nil, err
					}
				}
			}
		}
		if kind, ok := tiles[t.Name]; ok {
			if err := add("tiles", func(b *emit.Builder) { tile(b, kind) }); err != nil {
				return nil, err
			}
		}
		if isaset.Plain(t.Name) != t.Name { // the rest is that of the set it extends
			return fs, nil
		}
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			v := emit.Vector(e, t.Lanes(e))
			for _, n := range []int{10, 12, 14} {
				if err := add(fmt.Sprintf("fma_%v_%d", e, n), func(b *emit.Builder) { fma(b, v, n) }); err != nil {
					return nil, err
				}
			}
		}
		v := emit.Vector(emit.F32, t.Lanes(emit.F32))
		if err := add("latency", func(b *emit.Builder) { fma(b, v, 1) }); err != nil {
			return nil, err
		}
		for _, m := range []struct {
			name string
			body func(b *emit.Builder, v emit.Type)
		}{
			{"read", read}, {"read_ahead", readAhead}, {"write", write}, {"copy", duplicate}, {"read_rows", readRows}, {"write_rows", writeRows},
			{"stream", stream}, {"read_masked", readMasked}, {"write_masked", writeMasked},
			{"shuffle_0", shuffles(0)}, {"shuffle_2", shuffles(2)}, {"shuffle_4", shuffles(4)},
		} {
			if err := add(m.name, func(b *emit.Builder) { m.body(b, v) }); err != nil {
				return nil, err
			}
		}
		return fs, nil
	}})
}

// fma does k rounds of n independent multiply-adds on registers.
func fma(b *emit.Builder, v emit.Type, n int) {
	x, y := b.Const(v, 0.999), b.Const(v, 1.001)
	var acc []*emit.Value
	for range n {
		acc = append(acc, b.Const(v, 0))
	}
	sums := b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, acc, func(_ *emit.Value, acc []*emit.Value) []*emit.Value {
		next := make([]*emit.Value, n)
		for i := range next {
			next[i] = b.FMA(acc[i], x, y)
		}
		return next
	})
	store(b, sums)
}

// narrowElems is an instruction on elements narrower than its sums.
type narrowElems struct {
	name string
	of   func(lanes int) *emit.Instruction
}

// dots are those that an instruction set has and the one that it extends has not.
var dots = map[string][]narrowElems{
	"avx512bf16": {{"bf16", inst.DotBF16}},
	"avx512vnni": {{"u8i8", inst.DotU8I8}, {"i16", inst.DotI16}},
	"avxvnni":    {{"u8i8", inst.DotU8I8}, {"i16", inst.DotI16}},
	"avx512":     {{"pairs", inst.MulPairsI16}},
	"avx2":       {{"pairs", inst.MulPairsI16}},
}

// tiles are the products of whole tiles that an instruction set has.
var tiles = map[string]inst.TileKind{"amxbf16": inst.TileBF16, "amxint8": inst.TileU8I8}

// tile does k rounds of four products of full tiles, 2 x 2 as kernels have them, with the
// configuration that lies at b.
func tile(b *emit.Builder, kind inst.TileKind) {
	b.Inst(inst.TileLoadConfig, 0, b.Param("b", emit.Ptr))
	for n := range int64(inst.Tiles) {
		b.Inst(inst.TileZero, n)
	}
	b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, nil, func(*emit.Value, []*emit.Value) []*emit.Value {
		for n := range 4 {
			b.Inst(inst.TileDot(kind), inst.DotOf(n, 4+n/2, 6+n%2))
		}
		return nil
	})
	b.Inst(inst.TileRelease, 0)
}

// dot does k rounds of n independent dot products on registers, each added to sums of its
// own. The instruction adds them or, if it does not, another one does.
func dot(b *emit.Builder, i *emit.Instruction, n int) {
	elems, sums := i.In[len(i.In)-1], i.Out[0]
	from := b.Param("b", emit.Ptr)
	x, y := b.Load(elems, emit.At(from, 0)), b.Load(elems, emit.At(from, int64(elems.Bytes())))
	var acc []*emit.Value
	for range n {
		acc = append(acc, b.Const(sums, 0))
	}
	store(b, b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, acc, func(_ *emit.Value, acc []*emit.Value) []*emit.Value {
		next := make([]*emit.Value, n)
		for s := range next {
			if len(i.In) == 3 {
				next[s] = b.Inst(i, 0, acc[s], x, y)[0]
			} else {
				next[s] = b.Add(acc[s], b.Inst(i, 0, x, y)[0])
			}
		}
		return next
	}))
}

// store writes the sum of x to c: without a reader of its result the work could be
// dropped.
func store(b *emit.Builder, x []*emit.Value) {
	sum := x[0]
	for _, y := range x[1:] {
		sum = b.Add(sum, y)
	}
	b.Store(sum, emit.At(b.Param("c", emit.Ptr), 0))
}

// unroll is how many vectors a turn of the loops that move bytes takes.
const unroll = 8

// passes goes tiles times over k blocks of 8 vectors. The pointers advance by a block
// a turn and begin anew with each pass. body is called once for each vector, with the
// values that it carries from turn to turn.
func passes(b *emit.Builder, v emit.Type, pointers, carried []*emit.Value, body func(at int64, i int, p, x []*emit.Value)) []*emit.Value {
	step := b.Int(int64(unroll * v.Bytes()))
	p := len(pointers)
	return b.ForOnce(b.Int(0), b.Param("tiles", emit.Int64), 1, carried, func(_ *emit.Value, carried []*emit.Value) []*emit.Value {
		all := append(append([]*emit.Value{}, pointers...), carried...)
		return b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, all, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
			x = append([]*emit.Value{}, x...)
			for i := range unroll {
				body(int64(i*v.Bytes()), i, x[:p], x[p:])
			}
			for i := range p {
				x[i] = b.AddP(x[i], step)
			}
			return x
		})[p:]
	})
}

// read adds up the blocks that begin at b.
func read(b *emit.Builder, v emit.Type) {
	var sums []*emit.Value
	for range unroll {
		sums = append(sums, b.Const(v, 0))
	}
	store(b, passes(b, v, []*emit.Value{b.Param("b", emit.Ptr)}, sums, func(at int64, i int, p, x []*emit.Value) {
		x[i] = b.Add(x[i], b.Load(v, emit.At(p[0], at)))
	}))
}

// readAhead is read that asks the second cache for each line so many bytes ahead.
func readAhead(b *emit.Builder, v emit.Type) {
	from := b.Param("b", emit.Ptr)
	var sums []*emit.Value
	for range unroll {
		sums = append(sums, b.Const(v, 0))
	}
	pointers := []*emit.Value{from, b.AddP(from, b.Param("next", emit.Int64))}
	store(b, passes(b, v, pointers, sums, func(at int64, i int, p, x []*emit.Value) {
		if at%64 == 0 {
			b.Prefetch(1, emit.At(p[1], at))
		}
		x[i] = b.Add(x[i], b.Load(v, emit.At(p[0], at)))
	}))
}

// write stores zeros to the blocks that begin at c.
func write(b *emit.Builder, v emit.Type) {
	zero := b.Const(v, 0)
	passes(b, v, []*emit.Value{b.Param("c", emit.Ptr)}, nil, func(at int64, _ int, p, _ []*emit.Value) {
		b.Store(zero, emit.At(p[0], at))
	})
}

// duplicate copies the blocks that begin at b to c.
func duplicate(b *emit.Builder, v emit.Type) {
	passes(b, v, []*emit.Value{b.Param("b", emit.Ptr), b.Param("c", emit.Ptr)}, nil, func(at int64, _ int, p, _ []*emit.Value) {
		b.Store(b.Load(v, emit.At(p[0], at)), emit.At(p[1], at))
	})
}

// narrow is how many vectors of a row the loops take that go down a narrow panel of a
// wide matrix, as micro-kernels do.
const narrow = 3

// readRows adds up narrow vectors of each of 2*k rows, ldb apart.
func readRows(b *emit.Builder, v emit.Type) {
	ld := b.Param("ldb", emit.Int64)
	carried := []*emit.Value{b.Param("b", emit.Ptr)}
	for range 2 * narrow {
		carried = append(carried, b.Const(v, 0))
	}
	sums := b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		next := append([]*emit.Value{}, x...)
		for r := range 2 {
			for i := range narrow {
				next[1+r*narrow+i] = b.Add(x[1+r*narrow+i], b.Load(v, emit.At(next[0], int64(i*v.Bytes()))))
			}
			next[0] = b.AddP(next[0], ld)
		}
		return next
	})
	store(b, sums[1:])
}

// writeRows stores zeros to narrow vectors of each of 2*k rows, ldb apart, from c on.
func writeRows(b *emit.Builder, v emit.Type) {
	zero, ld := b.Const(v, 0), b.Param("ldb", emit.Int64)
	b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, []*emit.Value{b.Param("c", emit.Ptr)}, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		p := x[0]
		for range 2 {
			for i := range narrow {
				b.Store(zero, emit.At(p, int64(i*v.Bytes())))
			}
			p = b.AddP(p, ld)
		}
		return []*emit.Value{p}
	})
}

// stream is write past the caches. The starts of blocks must be multiples of a vector.
func stream(b *emit.Builder, v emit.Type) {
	zero := b.Const(v, 0)
	passes(b, v, []*emit.Value{b.Param("c", emit.Ptr)}, nil, func(at int64, _ int, p, _ []*emit.Value) {
		if i := inst.Stream(v); i != nil {
			b.Inst(i, at, zero, p[0])
		} else { // then plans count on ordinary stores
			b.Store(zero, emit.At(p[0], at))
		}
	})
	b.Inst(inst.StreamFence, 0)
}

// readMasked is read without the last lane of each vector.
func readMasked(b *emit.Builder, v emit.Type) {
	var sums []*emit.Value
	for range unroll {
		sums = append(sums, b.Const(v, 0))
	}
	mask := b.MaskN(v, b.Int(int64(v.Lanes-1)))
	store(b, passes(b, v, []*emit.Value{b.Param("b", emit.Ptr)}, sums, func(at int64, i int, p, x []*emit.Value) {
		x[i] = b.Add(x[i], b.LoadMasked(v, mask, emit.At(p[0], at)))
	}))
}

// writeMasked is write without the last lane of each vector.
func writeMasked(b *emit.Builder, v emit.Type) {
	zero := b.Const(v, 0)
	mask := b.MaskN(v, b.Int(int64(v.Lanes-1)))
	passes(b, v, []*emit.Value{b.Param("c", emit.Ptr)}, nil, func(at int64, _ int, p, _ []*emit.Value) {
		b.StoreMasked(zero, mask, emit.At(p[0], at))
	})
}

// shuffles does k rounds of eight multiply-adds, each of which waits for that of the
// round before, and n permutations with them.
func shuffles(n int) func(b *emit.Builder, v emit.Type) {
	return func(b *emit.Builder, v emit.Type) {
		const sums = 8
		// As the instructions that interleave two registers have it, lane pair by lane pair
		// of each 128 bits.
		perm := make([]int, v.Lanes)
		for i := range perm {
			perm[i] = i&^3 + i&3/2 + i&1*v.Lanes
		}
		x, y := b.Const(v, 0.999), b.Const(v, 1.001)
		var acc []*emit.Value
		for range sums {
			acc = append(acc, b.Const(v, 0))
		}
		for range n {
			acc = append(acc, b.Const(v, 1))
		}
		store(b, b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, acc, func(_ *emit.Value, acc []*emit.Value) []*emit.Value {
			next := make([]*emit.Value, len(acc))
			for i := range next {
				if i < sums {
					next[i] = b.FMA(acc[i], x, y)
				} else {
					next[i] = b.Shuffle(perm, acc[i], x)
				}
			}
			return next
		}))
	}
}
