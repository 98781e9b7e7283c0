package fused

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// BenchmarkLLC prints the speed of three epilogues beside that of llc's code for the
// same functions: 128 rows of 48 sums, which stay in L1 with what becomes of them.
//
//	go test -run '^$' -bench LLC -benchtime 1x ./verify/peer ./gen/examples/fused
func BenchmarkLLC(b *testing.B) {
	const rows, cols = 128, 48
	for b.Loop() {
		cases, funcs := llvmCases(), llvmFuncs(b, llvmCases())
		fmt.Printf("\n%s\n\nepilogues alone: elements a ns\n%-24s %10s %10s %10s\n", llctest.Header(), "", "ours", "llc's", "ours/llc's")
		for _, target := range llctest.Targets() {
			o := llctest.Compile(b, target, funcs[target.Name])
			for _, c := range cases {
				if !slices.Contains([]string{"DenseGELU", "DenseGELUErf", "Residual"}, c.spec.Kernel()) {
					continue
				}
				table := *c.table
				ours := table[slices.IndexFunc(table, func(k *kernel.Kernels) bool { return k.ISA == target.Name })].Epi
				name := lowerFirst(c.spec.Kernel()) + "_" + target.Name + "_epi"
				call := o.Call(name)
				r := rand.New(level.PCG(1, 2))
				numbers := func() []float32 { return llctest.Fill[float32](r, (*rand.Rand).NormFloat64, rows*cols) }
				sums, have, want := numbers(), numbers(), numbers()
				args := func(out []float32) *kernel.EpiArgs {
					a := &kernel.EpiArgs{Tile: unsafe.Pointer(&sums[0]), TileLd: 4 * cols, Rows: rows, Cols: cols}
					for i, x := range [][]float32{out, numbers(), numbers(), numbers()} { // some of them are used
						a.Slots[i].P, a.Slots[i].Rs, a.Slots[i].Cs = unsafe.Pointer(&x[0]), 4*cols, 4
					}
					return a
				}
				mine, theirs := args(want), args(have)
				copy(theirs.Slots[1:], mine.Slots[1:])
				ours(mine)
				call(unsafe.Pointer(theirs))
				if i := llctest.Differs(have, want); i >= 0 {
					b.Fatalf("%s: element %d is %v by llc, %v by our assembly", name, i, have[i], want[i])
				}
				s := llctest.Race(func() { ours(mine) }, func() { call(unsafe.Pointer(theirs)) })
				fmt.Printf("%-24s %10.2f %10.2f %9.2fx\n", target.Name+" "+c.spec.Kernel(), rows*cols/s[0]/1e9, rows*cols/s[1]/1e9, s[1]/s[0])
			}
		}
	}
}
