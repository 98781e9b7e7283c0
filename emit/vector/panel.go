package vector

import "github.com/tilesmith/tilesmith/emit"

// LineBytes is a cache line, which one prefetch brings.
const LineBytes = 64

// Load loads a vector; or the lanes of a mask, and zeros elsewhere, if that is not nil.
func Load(b *emit.Builder, t emit.Type, mask *emit.Value, a emit.Addr) *emit.Value {
	if mask != nil {
		return b.LoadMasked(t, mask, a)
	}
	return b.Load(t, a)
}

// Store stores a vector, or the lanes of a mask if that is not nil.
func Store(b *emit.Builder, x, mask *emit.Value, a emit.Addr) {
	if mask != nil {
		b.StoreMasked(x, mask, a)
	} else {
		b.Store(x, a)
	}
}

// Fetch prefetches the lines of n bytes from p on to L1.
func Fetch(b *emit.Builder, p *emit.Value, n int) {
	for off := 0; off < n; off += LineBytes {
		b.Prefetch(0, emit.At(p, int64(off)))
	}
}

// A Panel is some columns of a row: N vectors, of which the last has the lanes of a mask if Last is not nil, or
// begins in the one before if Back is not nil.
type Panel struct {
	Vec   emit.Type
	N     int
	Last  *emit.Value
	Backs bool // a cut panel has a Back in place of a mask, see [Backs]
	Back  *Back
}

// Cut is the panel whose last vector has as many lanes as the parameter n says, if it is a tail.
func (p Panel) Cut(b *emit.Builder, tail bool) Panel {
	switch {
	case tail && p.Backs:
		n := b.Param("n", emit.Int64)
		p.Back = NewBack(b, p.Vec, n)
		p.Back.Keep(b, n)
	case tail:
		p.Last = b.MaskN(p.Vec, b.Param("n", emit.Int64))
	}
	return p
}

// Mask is that of vector j; nil: all lanes.
func (p Panel) Mask(j int) *emit.Value {
	if j == p.N-1 {
		return p.Last
	}
	return nil
}

// At is vector j of a row.
func (p Panel) At(row *emit.Value, j int) emit.Addr {
	a := emit.At(row, int64(j*p.Vec.Bytes()))
	if p.Back != nil && j == p.N-1 {
		a.Index, a.Scale = p.Back.By, 1
	}
	return a
}

// Bytes is the size of the panel's part of a row.
func (p Panel) Bytes() int { return p.N * p.Vec.Bytes() }

// Load loads vector j of a row.
func (p Panel) Load(b *emit.Builder, row *emit.Value, j int) *emit.Value {
	return Load(b, p.Vec, p.Mask(j), p.At(row, j))
}

// Store stores x as vector j of a row.
func (p Panel) Store(b *emit.Builder, x, row *emit.Value, j int) {
	Store(b, x, p.Mask(j), p.At(row, j))
}

// Update stores x as vector j of a row in which old was, made of old and what belongs to it.
func (p Panel) Update(b *emit.Builder, old, x, row *emit.Value, j int) {
	p.Store(b, p.Own(b, old, x, j), row, j)
}

// Own is x, vector j, in lanes that no vector before has stored, and old in the others.
func (p Panel) Own(b *emit.Builder, old, x *emit.Value, j int) *emit.Value {
	if p.Back == nil || j < p.N-1 {
		return x
	}
	return p.Back.Own(b, old, x)
}
