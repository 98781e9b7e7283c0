package amd64

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// A permutation is one instruction that moves lanes of two vectors x and y, laid
// end to end. perm says for each result lane which lane it takes. The text is Plan 9
// order: the second source first.
type permutation struct {
	mnemonic string
	imm      bool // has an 8-bit selector
	bits     int  // 0: any vector width
	elem     int  // bits of the element it moves
	perm     func(n, imm int) []int
}

// perBlock applies a pattern within every 128-bit block of n lanes, bl to a block.
func perBlock(n, bl int, f func(base, i int) int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = f(i/bl*bl, i%bl)
	}
	return p
}

// unpack interleaves the low (hi = 0) or high halves of each block.
func unpack(bl, hi int) func(n, imm int) []int {
	return func(n, _ int) []int {
		return perBlock(n, bl, func(base, i int) int { return base + hi*bl/2 + i/2 + i%2*n })
	}
}

// permutations lists what transposes and reductions need (Intel SDM volume 2).
var permutations = []permutation{
	{mnemonic: "VPUNPCKLBW", elem: 8, perm: unpack(16, 0)},
	{mnemonic: "VPUNPCKHBW", elem: 8, perm: unpack(16, 1)},
	{mnemonic: "VPUNPCKLWD", elem: 16, perm: unpack(8, 0)},
	{mnemonic: "VPUNPCKHWD", elem: 16, perm: unpack(8, 1)},
	{mnemonic: "VUNPCKLPS", elem: 32, perm: unpack(4, 0)},
	{mnemonic: "VUNPCKHPS", elem: 32, perm: unpack(4, 1)},
	{mnemonic: "VUNPCKLPD", elem: 64, perm: unpack(2, 0)},
	{mnemonic: "VUNPCKHPD", elem: 64, perm: unpack(2, 1)},
	{mnemonic: "VSHUFPS", imm: true, elem: 32, perm: func(n, imm int) []int {
		return perBlock(n, 4, func(base, i int) int { return base + imm>>(2*i)&3 + i/2*n })
	}},
	{mnemonic: "VSHUFPD", imm: true, elem: 64, perm: func(n, imm int) []int {
		return perBlock(n, 2, func(base, i int) int { return base + imm>>(base+i)&1 + i*n })
	}},
	{mnemonic: "VSHUFF64X2", imm: true, bits: 512, elem: 128, perm: func(n, imm int) []int {
		return []int{imm & 3, imm >> 2 & 3, n + imm>>4&3, n + imm>>6&3}
	}},
	{mnemonic: "VPERM2F128", imm: true, bits: 256, elem: 128, perm: func(n, imm int) []int {
		if imm&0x88 != 0 { // these bits clear a half
			return nil
		}
		return []int{imm & 3, imm >> 4 & 3}
	}},
}

// matchShuffle finds the instruction for a shuffle of two vectors of type t, which
// may be the same. It returns a mnemonic with a selector, or says that there is none.
func matchShuffle(t emit.Type, perm []int, same bool) (string, error) {
	lane := func(i int) int {
		if same {
			return i % t.Lanes
		}
		return i
	}
	equal := func(x, y int) bool { return lane(x) == lane(y) }
	for _, p := range permutations {
		eb := t.Elem.Bits()
		if t.Bits() < 128 || p.bits != 0 && p.bits != t.Bits() || p.elem%eb != 0 {
			continue
		}
		k := p.elem / eb // lanes moved together
		n := t.Lanes / k
		last := 0
		if p.imm {
			last = 255
		}
		for imm := 0; imm <= last; imm++ {
			coarse := p.perm(n, imm)
			if coarse == nil {
				continue
			}
			fine := make([]int, 0, t.Lanes)
			for _, c := range coarse {
				for i := range k {
					fine = append(fine, c*k+i)
				}
			}
			if slices.EqualFunc(fine, perm, equal) {
				if p.imm {
					return fmt.Sprintf("%s $%d,", p.mnemonic, imm), nil
				}
				return p.mnemonic, nil
			}
		}
	}
	return "", fmt.Errorf("no single instruction moves lanes as %v", perm)
}
