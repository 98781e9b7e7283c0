package vector

import "github.com/tilesmith/tilesmith/emit"

// PerBase is the most rows that one pointer reaches. The row stride rs and 3*rs are in registers,
// and the addressing modes are p + {0, 1, 2, 4}*rs and p + 3*rs. Without 3*rs it is three.
const PerBase = 5

// reach is how many of n rows a pointer reaches: three where more would save no pointer, only take a register for 3*rs.
func reach(n int) int {
	if (n+2)/3 == (n+PerBase-1)/PerBase {
		return 3
	}
	return PerBase
}

// Rows addresses rows by a few pointers and two strides, so that general registers suffice.
type Rows struct {
	Bases   []*emit.Value // a loop may carry them, see With
	rows    int           // that each reaches
	rs, rs3 *emit.Value
	apart   int64 // what rs is if it is a constant: then it is part of the offset
}

// OneRow returns the address of a row that is alone.
func OneRow(p *emit.Value) Rows { return Rows{Bases: []*emit.Value{p}, rows: 1} }

// NewRows returns the addresses of n rows that begin at p, rs bytes apart.
func NewRows(b *emit.Builder, p, rs *emit.Value, n int) Rows { return Strides(b, rs, n).From(b, p, n) }

// Strides returns Rows without pointers, for From: n rows that are rs bytes apart.
func Strides(b *emit.Builder, rs *emit.Value, n int) Rows {
	r := Rows{rs: rs, rows: reach(n)}
	if rs.Op != nil && rs.Op.Def.Name == "const" {
		r.apart = rs.Op.Attr.Imm
		return r
	}
	if n > 3 && r.rows > 3 {
		r.rs3 = b.Add(rs, b.Shl(rs, b.Int(1)))
	}
	return r
}

// From returns the addresses of n rows that begin at p, with r's strides.
func (r Rows) From(b *emit.Builder, p *emit.Value, n int) Rows {
	r.Bases = []*emit.Value{p}
	if n > r.rows && r.apart == 0 {
		further := b.Add(r.rs, b.Shl(r.rs, b.Int(int64(r.rows/2)))) // 3 or 5 rows
		for i := r.rows; i < n; i += r.rows {
			r.Bases = append(r.Bases, b.AddP(r.Bases[len(r.Bases)-1], further))
		}
	}
	return r
}

// With returns r with other pointers, as carried by a loop.
func (r Rows) With(bases []*emit.Value) Rows {
	r.Bases = bases
	return r
}

// At returns the address of row i plus off bytes.
func (r Rows) At(i int, off int64) emit.Addr {
	if r.apart != 0 {
		return emit.At(r.Bases[0], off+int64(i)*r.apart)
	}
	a := emit.Addr{Ptr: r.Bases[i/r.rows], Off: off}
	switch i % r.rows {
	case 1, 2, 4:
		a.Index, a.Scale = r.rs, int64(i%r.rows)
	case 3:
		a.Index, a.Scale = r.rs3, 1
	}
	return a
}
