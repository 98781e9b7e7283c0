package kernel

import (
	"math"
	"unsafe"
)

// Pair is what kernels read that multiply pairs of numbers x + y·e, where e·e is a number:
// -1 of complex ones. For an element of C they sum two pairs over k,
//
//	p = (Σ ax·bx, Σ ax·by)    q = (Σ ay·bx, Σ ay·by)
//
// and make of these u = p + Join*(qy, qx), part by part. Here qy counts as 0 if its bits are not in
// Keep, since 0*Inf would be NaN. What is stored is
//
//	ModeStore        u
//	ModeScale        Scale*u
//	ModeTurn         Scale*u + Turn*(uy, ux)
//	ModeUpdate       Scale*u + Old*c
//	ModeTurnUpdate   Scale*u + Turn*(uy, ux) + Old*c + OldTurn*(cy, cx)
//
// Each factor is as long as the longest vector: a pair, again and again.
type Pair struct {
	Join, Keep, Scale, Turn, Old, OldTurn Factor
	Beta                                  complex128 // of Old and OldTurn
}

// Factor is a pair, repeated to fill a vector: of float64, or twice as many float32.
type Factor [8]float64

// Fill sets f to (x, y), of float32 if single is set.
func (f *Factor) Fill(x, y float64, single bool) {
	if single {
		s := (*[16]float32)(unsafe.Pointer(f))
		for i := 0; i < len(s); i += 2 {
			s[i], s[i+1] = float32(x), float32(y)
		}
		return
	}
	for i := 0; i < len(f); i += 2 {
		f[i], f[i+1] = x, y
	}
}

// PairOffset returns the offset of a factor by its name in lower case. It panics if there is
// none.
func PairOffset(name string) int {
	var p Pair
	switch name {
	case "join":
		return int(unsafe.Offsetof(p.Join))
	case "keep":
		return int(unsafe.Offsetof(p.Keep))
	case "scale":
		return int(unsafe.Offsetof(p.Scale))
	case "turn":
		return int(unsafe.Offsetof(p.Turn))
	case "old":
		return int(unsafe.Offsetof(p.Old))
	case "oldturn":
		return int(unsafe.Offsetof(p.OldTurn))
	}
	panic("kernel: Pair has no factor " + name)
}

// SetTriangle fills in what [Kernels.Triangles] need of complex numbers. alone says that the second part of
// every element on the diagonal is 0, as in a unit triangle. It is then multiplied by nothing,
// because 0*Inf would make NaN.
func (p *Pair) SetTriangle(single, alone bool) {
	p.Set(single, -1, false, false, 1, 0, false)
	for i := range p.Turn {
		if p.Turn[i] = math.Float64frombits(math.MaxUint64); alone {
			p.Turn[i] = 0
		}
	}
}

// Set fills in what a product of pairs needs, and returns the cheapest mode. square is e·e.
// With conjA or conjB the second part of every element of a or of b has the other sign. update
// says that C is added, times beta.
func (p *Pair) Set(single bool, square float64, conjA, conjB bool, alpha, beta complex128, update bool) int64 {
	sign := 1.0
	if conjA != conjB {
		sign = -1
	}
	p.Join.Fill(sign*square, sign, single)
	all := math.Float64frombits(math.MaxUint64)
	if single {
		all32 := math.Float32frombits(math.MaxUint32)
		for i, s := 0, (*[16]float32)(unsafe.Pointer(&p.Keep)); i < len(s); i++ {
			if s[i] = all32; square == 0 && i%2 == 0 {
				s[i] = 0
			}
		}
	} else {
		for i := range p.Keep {
			if p.Keep[i] = all; square == 0 && i%2 == 0 {
				p.Keep[i] = 0
			}
		}
	}
	// alpha times u, or times the conjugate of u, if b's is what was asked for.
	x, y, plain := real(alpha), real(alpha), alpha == 1
	tx, ty := square*imag(alpha), imag(alpha)
	if conjB {
		y, tx, plain = -y, -tx, false
	}
	p.Scale.Fill(x, y, single)
	turn := imag(alpha) != 0 || update && imag(beta) != 0
	switch {
	case !turn && !update && plain:
		return ModeStore
	case !turn && !update:
		return ModeScale
	}
	p.Turn.Fill(tx, ty, single)
	p.Beta = beta
	if !update {
		return ModeTurn
	}
	p.Old.Fill(real(beta), real(beta), single)
	if !turn {
		return ModeUpdate
	}
	p.OldTurn.Fill(square*imag(beta), imag(beta), single)
	return ModeTurnUpdate
}
