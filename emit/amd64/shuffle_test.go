package amd64

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// moves says what each permutation does to x and y, cut into pieces of the
// mnemonic's element: the pseudocode of Intel SDM volume 2, instruction by
// instruction, with SRC1 for x and SRC2 for y.
var moves = map[string]func(x, y []int, imm int) []int{
	"VPUNPCKLBW": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 16 {
			for i := range 8 {
				d = append(d, x[b+i], y[b+i])
			}
		}
		return d
	},
	"VPUNPCKHBW": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 16 {
			for i := 8; i < 16; i++ {
				d = append(d, x[b+i], y[b+i])
			}
		}
		return d
	},
	"VPUNPCKLWD": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 8 {
			d = append(d, x[b], y[b], x[b+1], y[b+1], x[b+2], y[b+2], x[b+3], y[b+3])
		}
		return d
	},
	"VPUNPCKHWD": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 8 {
			d = append(d, x[b+4], y[b+4], x[b+5], y[b+5], x[b+6], y[b+6], x[b+7], y[b+7])
		}
		return d
	},
	"VUNPCKLPS": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 4 {
			d = append(d, x[b], y[b], x[b+1], y[b+1])
		}
		return d
	},
	"VUNPCKHPS": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 4 {
			d = append(d, x[b+2], y[b+2], x[b+3], y[b+3])
		}
		return d
	},
	"VUNPCKLPD": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 2 {
			d = append(d, x[b], y[b])
		}
		return d
	},
	"VUNPCKHPD": func(x, y []int, _ int) (d []int) {
		for b := 0; b < len(x); b += 2 {
			d = append(d, x[b+1], y[b+1])
		}
		return d
	},
	"VSHUFPD": func(x, y []int, imm int) (d []int) {
		for b := 0; b < len(x); b += 2 {
			d = append(d, x[b+imm>>b&1], y[b+imm>>(b+1)&1])
		}
		return d
	},
	"VSHUFPS": func(x, y []int, imm int) (d []int) {
		for b := 0; b < len(x); b += 4 {
			d = append(d, x[b+imm%4], x[b+imm/4%4], y[b+imm/16%4], y[b+imm/64])
		}
		return d
	},
	"VSHUFF64X2": func(x, y []int, imm int) []int {
		return []int{x[imm%4], x[imm/4%4], y[imm/16%4], y[imm/64]}
	},
	"VPERM2F128": func(x, y []int, imm int) []int {
		if imm&(1<<3) != 0 || imm&(1<<7) != 0 {
			return nil // writes zeros, which no permutation does
		}
		both := []int{x[0], x[1], y[0], y[1]}
		return []int{both[imm%4], both[imm/16%4]}
	},
}

// shuffleTypes are the vectors that permutations are defined on.
var shuffleTypes = []emit.Type{
	emit.Vector(emit.F32, 4), emit.Vector(emit.F32, 8), emit.Vector(emit.F32, 16),
	emit.Vector(emit.I8, 16), emit.Vector(emit.I8, 32), emit.Vector(emit.I8, 64), emit.Vector(emit.I16, 8), emit.Vector(emit.I16, 16), emit.Vector(emit.I16, 32),
	emit.Vector(emit.F64, 2), emit.Vector(emit.F64, 4), emit.Vector(emit.F64, 8),
}

// apply returns the lanes that row p with selector imm gives, by moves, for x and
// y of type t; nil if the row is not defined there.
func (p permutation) apply(t emit.Type, imm int, x, y []int) []int {
	if p.elem < t.Elem.Bits() || p.bits != 0 && p.bits != t.Bits() {
		return nil
	}
	k := p.elem / t.Elem.Bits()
	pieces := func(v []int) (out []int) { // the first lane of each
		for i := 0; i < len(v); i += k {
			out = append(out, i)
		}
		return out
	}
	px, py := pieces(x), pieces(y)
	for i := range py {
		py[i] += len(x)
	}
	lanes := slices.Concat(x, y)
	var out []int
	for _, first := range moves[p.mnemonic](px, py, imm) {
		out = append(out, lanes[first:first+k]...)
	}
	return out
}

func laneNumbers(from, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// Every row with every selector on every type: what it means is what matchShuffle
// finds an instruction for, and that instruction means the same.
func TestPermutations(t *testing.T) {
	byName := map[string]permutation{}
	for _, p := range permutations {
		byName[p.mnemonic] = p
		if moves[p.mnemonic] == nil {
			t.Fatalf("%s has no meaning in this test", p.mnemonic)
		}
	}
	used := map[string]int{}
	for _, p := range permutations {
		for _, ty := range shuffleTypes {
			for imm := 0; imm < 256; imm += level.Of(5, 1, 1) {
				if !p.imm && imm > 0 {
					break
				}
				for sources := 1; sources <= 2; sources++ {
					x := laneNumbers(0, ty.Lanes)
					y := x
					if sources == 2 {
						y = laneNumbers(ty.Lanes, ty.Lanes)
					}
					want := p.apply(ty, imm, x, y)
					if want == nil {
						continue
					}
					text, err := matchShuffle(ty, want, sources == 1)
					if err != nil {
						t.Fatalf("%s $%d on %d %v: %v", p.mnemonic, imm, sources, ty, err)
					}
					name, rest, hasImm := strings.Cut(text, " $")
					found := 0
					if hasImm {
						fmt.Sscanf(rest, "%d,", &found)
					}
					q := byName[name]
					if have := q.apply(ty, found, x, y); !slices.Equal(have, want) || hasImm != q.imm {
						t.Fatalf("%s $%d on %d %v moves lanes as %v; %s was found, which moves them as %v", p.mnemonic, imm, sources, ty, want, text, have)
					}
					used[name]++
				}
			}
		}
	}
	for _, p := range permutations {
		if used[p.mnemonic] == 0 {
			t.Errorf("%s was never found", p.mnemonic)
		}
	}
}

func TestShuffleRefusals(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no instruction", `
			%a = load %p : f32x8
			%b = shuffle %a, %a {perm=[7, 6, 5, 4, 3, 2, 1, 0]} : f32x8
			store %b, %p`,
			"f (7:4): %2 = shuffle %1, %1 {perm=[7, 6, 5, 4, 3, 2, 1, 0]} : f32x8: no single instruction moves lanes as [7 6 5 4 3 2 1 0]"},
		{"a move within one half", `
			%a = load %p : f32x8
			%b = shuffle %a, %a {perm=[0, 1, 2, 3, 4, 5, 7, 6]} : f32x8
			store %b, %p`,
			"f (7:4): %2 = shuffle %1, %1 {perm=[0, 1, 2, 3, 4, 5, 7, 6]} : f32x8: no single instruction moves lanes as [0 1 2 3 4 5 7 6]"},
		{"half of x", `
			%a = load %p : f32x8
			%b = shuffle %a, %a {perm=[0, 1, 2, 3]} : f32x4
			store %b, %p`,
			"f (7:4): %2 = shuffle %1, %1 {perm=[0, 1, 2, 3]} : f32x4: shuffles of f32x8 into f32x4 have no row on amd64"},
	} {
		_, err := assemble(t, AVX2, c.body)
		have := ""
		if err != nil {
			have = err.Error()
		}
		if have != c.want {
			t.Errorf("%s:\nwant %s\nhave %s", c.name, c.want, have)
		}
	}
}
