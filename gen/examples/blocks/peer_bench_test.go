package blocks_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	sums "github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	"github.com/tilesmith/tilesmith/gen/examples/blocks"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkBlocks compares sums of products of pairs of blocks (batch-reduce GEMM) with libxsmm's: one thread on both
// sides, in turns, medians, random operands, blocks one after another in memory, and no timing before the result was
// compared with a plain loop. The peer's calls are made from C in a loop, ours from Go.
//
//	go test -run '^$' -bench Blocks -benchtime 1x -timeout 30m ./gen/examples/blocks
//
// One type and size is -bench 'Blocks/f32/n=16/'. A share is of the highest ceiling that any instruction set of this machine
// has for the types ([roof.Products]).
func BenchmarkBlocks(b *testing.B) {
	fmt.Printf("\nmachine: %s, %d CPUs, %s; ISAs %s\n", machine.ThisCPU(), runtime.NumCPU(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
	s := &blocksTable{}
	var err error
	if s.loop, err = peer.OpenLoop(); err != nil {
		fmt.Printf("no peer: %v\n", err)
	} else if s.peer, err = peer.Load("libxsmm"); err != nil {
		fmt.Printf("no peer: %v\n", err)
	} else {
		s.peer.SetThreads(1)
		fmt.Printf("peer: %s: %s %s\n", s.peer.Name, s.peer.Version, s.peer.Note)
	}
	f32 := map[int]sumOf[float32]{16: blocks.BRGEMM16, 32: blocks.BRGEMM32, 64: blocks.BRGEMM64}
	bf16 := map[int]sumOf[dtype.BF16]{16: blocks.BRGEMM16BF16, 32: blocks.BRGEMM32BF16, 64: blocks.BRGEMM64BF16}
	for _, n := range []int{16, 32, 64} {
		blocksRows(b, s, n, f32[n], func(x float32) float32 { return x }, 1)
		blocksRows(b, s, n, bf16[n], dtype.ToBF16[float32], 2)
	}
	fmt.Printf("\n| type | block | count | offset: GFLOP/s | share | times libxsmm | stride: GFLOP/s | times libxsmm | list: GFLOP/s | times libxsmm |\n|---|---|---|---|---|---|---|---|---|---|\n%s\n\n", strings.Join(s.rows, "\n"))
}

type blocksTable struct {
	loop *peer.Loop
	peer *peer.Gemm
	rows []string
}

type sumOf[T dtype.Elem] func(out layout.Matrix[float32], a, b sums.Operand[T])

func blocksRows[T dtype.Elem](b *testing.B, s *blocksTable, n int, f sumOf[T], of func(float32) T, pairs int) {
	var ceiling roof.Ceiling
	for _, isa := range cpu.ISAs() {
		if c := roof.Products(isa, dtype.Of[T](), dtype.Of[T](), 100*time.Millisecond); c.Rate > ceiling.Rate {
			ceiling = c
		}
	}
	fmt.Printf("ceiling of %v: %.0f GFLOP/s by %s\n", dtype.Of[T](), ceiling.Rate/1e9, ceiling.By)
	for _, count := range []int{1, 2, 4, 8, 16, 32, 64} {
		b.Run(fmt.Sprintf("%v/n=%d/count=%d", dtype.Of[T](), n, count), func(b *testing.B) {
			rng := rand.New(level.PCG(uint64(n), uint64(count)))
			random := func() []T {
				x := make([]T, count*n*n)
				for i := range x {
					x[i] = of(float32(rng.NormFloat64()))
				}
				return x
			}
			p := peer.Blocks[T]{N: n, A: random(), B: random(), C: make([]float32, n*n)}
			var listA, listB [][]T
			for i := range count {
				p.AtA, p.AtB = append(p.AtA, i*n*n), append(p.AtB, i*n*n)
				listA, listB = append(listA, p.A[i*n*n:][:n*n]), append(listB, p.B[i*n*n:][:n*n])
			}
			out := layout.RowMajor(make([]float32, n*n), n, n)
			ways := [][2]sums.Operand[T]{
				{{Data: p.A, At: p.AtA}, {Data: p.B, At: p.AtB}},
				{{Data: p.A, Stride: n * n, Count: count}, {Data: p.B, Stride: n * n, Count: count}},
				{{List: listA}, {List: listB}},
			}
			flops := 2 * float64(count) * float64(n*n*n)
			row := fmt.Sprintf("| %v | %d | %d |", dtype.Of[T](), n, count)
			for i, form := range []peer.BlocksForm{peer.ByOffset, peer.ByStride, peer.ByAddress} {
				w := ways[i]
				runs := []func(int){func(times int) {
					for range times {
						f(out, w[0], w[1])
					}
				}}
				runs[0](1)
				compareBlocks(b, "ours", p, out.Data, pairs)
				if s.peer != nil {
					p.Form = form
					run, err := peer.RepeatBlocks(s.loop, s.peer, p)
					if err != nil {
						b.Log(err)
					} else {
						run(1)
						compareBlocks(b, "libxsmm", p, p.C, pairs)
						runs = append(runs, run)
					}
				}
				seconds := peer.InTurns(runs...)
				row += fmt.Sprintf(" %.1f |", flops/seconds[0]/1e9)
				if i == 0 {
					row += fmt.Sprintf(" %.0f %% |", 100*flops/seconds[0]/ceiling.Rate)
				}
				if len(seconds) > 1 {
					row += fmt.Sprintf(" %.2f |", seconds[1]/seconds[0])
				} else {
					row += " |"
				}
			}
			s.rows = append(s.rows, row)
			fmt.Println(row)
			for b.Loop() {
			}
		})
	}
}

// compareBlocks compares a sum with a plain loop; pairs rows of a block of b lie side by side.
func compareBlocks[T dtype.Elem](b *testing.B, who string, p peer.Blocks[T], have []float32, pairs int) {
	n := p.N
	for e := range n * n {
		sum, abs := 0.0, 0.0
		for t := range p.AtA {
			for k := range n {
				x := check.Float64(p.A[p.AtA[t]+e/n*n+k]) * check.Float64(p.B[p.AtB[t]+k/pairs*pairs*n+e%n*pairs+k%pairs])
				sum, abs = sum+x, abs+math.Abs(x)
			}
		}
		if math.Abs(float64(have[e])-sum) > 1e-5*abs+1e-6 {
			b.Fatalf("%s: element %d is %v, want %v", who, e, have[e], sum)
		}
	}
}
