package peer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/rule"
	cores "github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// tableSpMM compares cpu.SpMM on compressed rows, and in the format that advise.For
// picks if it is another one.
func tableSpMM(b *testing.B) {
	fmt.Println("\nSpMM f32: our GFLOP/s; how many times as fast as others, and as the best of them without mkl; time over the bound, which is the")
	fmt.Println("longer of flops at the ceiling and bytes to and from memory at copy bandwidth, as the cache simulation of advise.For counts")
	fmt.Println("them; time over the longest of that and the bytes of each cache at its bandwidth, and whose that is")
	peers := sparsePeersHere(b)
	for _, c := range sparseCases {
		b.Run(c.name, func(b *testing.B) {
			a := c.build(b)
			for _, n := range []int{32, 128, 512} {
				b.Run(fmt.Sprint(n), func(b *testing.B) {
					spmmLine(b, c.name, a, n, peers)
					quiet(b)
				})
			}
		})
	}
}

func spmmLine(b *testing.B, name string, a sparse.Matrix[float32], n int, peers []*peer.Sparse) {
	x, want, out := gaussian[float32](a.Cols(), n, 1), layout.New[float32](a.Rows(), n), layout.New[float32](a.Rows(), n)
	pointers, indices, values := a.CSR()
	plain := &entrant{name: "go", run: func() { plainSpMM(out.Data, pointers, indices, values, x.Data, n) }}
	plainSpMM(want.Data, pointers, indices, values, x.Data, n)
	terms := perRow(a, n)

	advice, err := advise.For(a, n, advise.MachineFor(cpu.ISAs()[0]))
	if err != nil {
		b.Fatal(err)
	}
	ours := []*entrant{{name: "csr", run: func() { cpu.SpMMOpt(one, out, a, x) }}}
	if advice.Best.Name != format.CSR.Name {
		ours = append(ours, &entrant{name: advice.Best.Name, run: advised(b, advice.Best, out, a, x)})
	}
	all := append([]*entrant{copying(), plain}, ours...)
	var theirs []*entrant
	for _, p := range peers {
		product, err := p.F32(out.Data, a, x.Data, n)
		if err != nil {
			fmt.Printf("%s n=%d: %v\n", name, n, err)
			continue
		}
		defer product.Free()
		clear(out.Data)
		product.Run()
		if err := product.Fetch(); err != nil {
			b.Fatal(err)
		}
		same(b, p.Name, out.Data, want.Data, terms)
		theirs = append(theirs, &entrant{name: p.Name, run: product.Run})
	}
	for _, e := range ours {
		clear(out.Data)
		e.run()
		same(b, e.name, out.Data, want.Data, terms)
	}
	all = append(all, theirs...)
	var machine rates
	machine.look()
	how := compete(all...)
	machine.look()
	machine.copying = copyBytes / all[0].seconds

	flops := 2 * float64(a.NNZ()) * float64(n)
	for _, e := range ours {
		moved := traffic(advice, e.name)
		least, of := machine.levels(flops, moved)
		var line strings.Builder
		fmt.Fprintf(&line, "%-9s n=%-3d %-11s %6.1f  go %5.2fx ", name, n, e.name, flops/e.seconds/1e9, plain.seconds/e.seconds)
		best := 0.0
		for _, p := range theirs {
			if p.name != peer.SparseMKL.Name && (best == 0 || p.seconds < best) {
				best = p.seconds
			}
			fmt.Fprintf(&line, " %s %5.2fx", p.name, p.seconds/e.seconds)
			if p.threads() > 1.15 {
				fmt.Fprintf(&line, " (on %.1f CPUs)", p.threads())
			}
		}
		if best > 0 {
			fmt.Fprintf(&line, "  best %5.2fx", best/e.seconds)
		}
		fmt.Fprintf(&line, "  bound %5.2fx (%.1f MB at %.1f GB/s)  with caches %5.2fx of %s  [%d rounds, others %.2f, spoilt %d]\n",
			e.seconds/machine.roofline(flops, moved), float64(moved[cores.Memory])/1e6, machine.copying/1e9,
			e.seconds/least, of, how.rounds, how.others, how.spoilt)
		fmt.Print(line.String())
	}
}

// traffic returns the bytes that one product in that format moves.
func traffic(advice advise.Advice, name string) advise.Moved {
	for _, c := range advice.Candidates {
		if c.Name == name {
			return c.Traffic.Sum()
		}
	}
	return advise.Moved{}
}

// advised converts a as it should be, and returns how to multiply it.
func advised(b *testing.B, c advise.Candidate, out layout.Matrix[float32], a sparse.Matrix[float32], x layout.Matrix[float32]) func() {
	b.Helper()
	if c.Pruned {
		w := cpu.Prune(a)
		return func() { cpu.MulPruned(one, out, w, x) }
	}
	if c.Rules == nil {
		p, err := format.Pack(a, c.Format)
		if err != nil {
			b.Fatal(err)
		}
		return func() { cpu.SpMMOpt(one, out, p, x) }
	}
	s, err := rule.Decompose(a, c.Rules...)
	if err != nil {
		b.Fatal(err)
	}
	parts := s.Parts()
	return func() {
		o := one
		for _, p := range parts {
			cpu.SpMMOpt(o, out, p.Packed, x)
			o.Scaling = cpu.Scale(1, 1)
		}
	}
}

// plainSpMM is what one writes in Go.
func plainSpMM(out []float32, pointers, indices []int32, values, x []float32, n int) {
	for i := range len(pointers) - 1 {
		c := out[i*n : i*n+n]
		clear(c)
		for k := pointers[i]; k < pointers[i+1]; k++ {
			v := values[k]
			for j, y := range x[int(indices[k])*n : int(indices[k])*n+n] {
				c[j] += v * y
			}
		}
	}
}
