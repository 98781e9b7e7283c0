//go:build ignore

package main

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen"
)

var args = []emit.Arg{
	{Name: "b", Type: emit.Ptr, Offset: 8},
	{Name: "c", Type: emit.Ptr, Offset: 16},
	{Name: "k", Type: emit.Int64, Offset: 56},
}

func main() {
	gen.Main(gen.Functions{Name: "kernels", Targets: gemm.CPUTargets(), Build: func(t emit.Target) ([]*emit.Func, error) {
		var fs []*emit.Func
		add := func(name string, body func(b *emit.Builder)) error {
			f, err := emit.Build(name+"_"+t.Name, args, body)
			fs = append(fs, f)
			return err
		}
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			v := emit.Vector(e, t.Lanes(e))
			for _, n := range []int{10, 12, 14} {
				if err := add(fmt.Sprintf("fma_%v_%d", e, n), func(b *emit.Builder) { fma(b, v, n) }); err != nil {
					return nil, err
				}
			}
		}
		return fs, add("read", func(b *emit.Builder) { read(b, emit.Vector(emit.F32, t.Lanes(emit.F32))) })
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

// store writes the sum of x to c: work whose result nobody wants is no work.
func store(b *emit.Builder, x []*emit.Value) {
	sum := x[0]
	for _, y := range x[1:] {
		sum = b.Add(sum, y)
	}
	b.Store(sum, emit.At(b.Param("c", emit.Ptr), 0))
}

// read adds up k blocks of 8 vectors that begin at b.
func read(b *emit.Builder, v emit.Type) {
	const n = 8
	carried := []*emit.Value{b.Param("b", emit.Ptr)}
	for range n {
		carried = append(carried, b.Const(v, 0))
	}
	sums := b.ForOnce(b.Int(0), b.Param("k", emit.Int64), 1, carried, func(_ *emit.Value, x []*emit.Value) []*emit.Value {
		next := make([]*emit.Value, 1+n)
		for i := range n {
			next[1+i] = b.Add(x[1+i], b.Load(v, emit.At(x[0], int64(i*v.Bytes()))))
		}
		next[0] = b.AddP(x[0], b.Int(int64(n*v.Bytes())))
		return next
	})
	store(b, sums[1:])
}
