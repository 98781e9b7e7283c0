package arm64

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// A permutation is one instruction that moves lanes of two vectors, laid end to end. perm
// says for each of n result lanes which lane it takes.
type permutation struct {
	mnemonic string
	perm     func(n, i int) int
}

// permutations lists those of two vectors (DDI 0487, ZIP1 and so on).
var permutations = []permutation{
	{"zip1", func(n, i int) int { return i/2 + i%2*n }},
	{"zip2", func(n, i int) int { return n/2 + i/2 + i%2*n }},
	{"uzp1", func(n, i int) int { return 2 * i }},
	{"uzp2", func(n, i int) int { return 2*i + 1 }},
	{"trn1", func(n, i int) int { return i&^1 + i%2*n }},
	{"trn2", func(n, i int) int { return (i | 1) + i%2*n }},
}

// plainShuffle finds the one instruction for a shuffle of two vectors of type t, which may be
// the same. It returns how that is spelt, or nil if there is none.
func plainShuffle(t emit.Type, perm []int, same bool) func(d, x, y int) string {
	bits, all := t.Elem.Bits(), t.Bits() > 64
	if t.Bits() < 64 || len(perm) != t.Lanes {
		return nil
	}
	n := t.Lanes
	equal := func(x, y int) bool { return x == y || same && x%n == y%n }
	// Lanes that move together are one.
	for k := 1; bits*k <= 64 && n/k > 1; k *= 2 {
		coarse, ok := merged(perm, k)
		if !ok {
			break
		}
		for _, p := range permutations {
			want := make([]int, n/k)
			for i := range want {
				want[i] = p.perm(n/k, i)
			}
			if slices.EqualFunc(coarse, want, func(x, y int) bool { return x == y || same && x%(n/k) == y%(n/k) }) {
				return func(d, x, y int) string {
					return fmt.Sprintf("%s %s, %s, %s", p.mnemonic, lanes(bits*k, d, all), lanes(bits*k, x, all), lanes(bits*k, y, all))
				}
			}
		}
	}
	if first := perm[0]; perm[0] < 2*n { // n lanes from one on
		if slices.EqualFunc(perm, consecutive(first, n), equal) && (same || first <= n) {
			return func(d, x, y int) string {
				if first == n { // all of y
					x = y
				}
				return fmt.Sprintf("ext %s, %s, %s, #%d", lanes(8, d, all), lanes(8, x, all), lanes(8, y, all), first%n*bits/8)
			}
		}
		if one := slices.Repeat([]int{first}, n); slices.EqualFunc(perm, one, equal) {
			return func(d, x, y int) string {
				if !same && first >= n {
					x = y
				}
				return fmt.Sprintf("dup %s, %s", lanes(bits, d, all), lane(bits, x, first%n))
			}
		}
	}
	return nil
}

// merged returns perm in groups of k lanes, and whether such groups stay together.
func merged(perm []int, k int) (coarse []int, ok bool) {
	for i := 0; i < len(perm); i += k {
		if perm[i]%k != 0 {
			return nil, false
		}
		for j := range k {
			if perm[i+j] != perm[i]+j {
				return nil, false
			}
		}
		coarse = append(coarse, perm[i]/k)
	}
	return coarse, true
}

func consecutive(first, n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = first + i
	}
	return p
}

// selectShuffle looks up bytes where no plain instruction fits.
func selectShuffle(e *emitter, op *emit.Op) error {
	r, x := op.Result(), op.Args[0]
	y := op.Args[len(op.Args)-1]
	perm := op.Attr.Perm
	if r.Type != x.Type {
		return fmt.Errorf("shuffles of %v into %v have no row on arm64", x.Type, r.Type)
	}
	if text := plainShuffle(x.Type, perm, x == y); text != nil {
		e.neon("%s", text(e.num(r), e.num(x), e.num(y)))
		return nil
	}
	size, t, d := x.Type.Elem.Bytes(), e.Temp(asm.Vec, op), e.num(r)
	// Bytes from 16 on are not in the first vector, whose lookup makes them zero; that of the
	// second leaves what its own indices do not reach.
	load := func(skip int) {
		var words [2]uint64
		for i := range words {
			words[i] = ^uint64(0)
		}
		for i, p := range perm {
			if p -= skip; p < 0 || p >= x.Type.Lanes {
				continue
			}
			for b := range size {
				at := i*size + b
				words[at/8] = words[at/8]&^(0xff<<(at%8*8)) | uint64(p*size+b)<<(at%8*8)
			}
		}
		e.Line("MOVD $%s(SB), R%d", e.File.Table(64, words[:]), tmp2)
		e.Line("FMOVQ (R%d), F%d", tmp2, t)
	}
	if x == y {
		one := make([]int, len(perm))
		for i, p := range perm {
			one[i] = p % x.Type.Lanes
		}
		perm = one
	}
	load(0)
	e.neon("tbl v%d.16b, {v%d.16b}, v%d.16b", d, e.num(x), t)
	if slices.Max(perm) >= x.Type.Lanes {
		load(x.Type.Lanes)
		e.neon("tbx v%d.16b, {v%d.16b}, v%d.16b", d, e.num(y), t)
	}
	return nil
}
