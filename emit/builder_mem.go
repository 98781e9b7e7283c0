package emit

// Addr is an address: Ptr + Index*Scale + Off bytes. Index may be nil.
type Addr struct {
	Ptr, Index *Value
	Scale, Off int64
}

// At returns the address p + off bytes.
func At(p *Value, off int64) Addr { return Addr{Ptr: p, Off: off} }

// On returns the address off bytes further on.
func (a Addr) On(off int64) Addr {
	a.Off += off
	return a
}

func (a Addr) operands(before ...*Value) ([]*Value, Attr) {
	args := append(before, a.Ptr)
	if a.Index != nil {
		args = append(args, a.Index)
	}
	return args, Attr{Off: a.Off, Scale: a.Scale}
}

// Load loads a t.
func (b *Builder) Load(t Type, a Addr) *Value {
	args, at := a.operands()
	return b.one("load", at, t, args...)
}

// LoadNarrow is Load of what the next operation, Cvt or Zext, widens and nothing else
// reads: amd64 has one instruction for both.
func (b *Builder) LoadNarrow(t Type, a Addr) *Value {
	v := b.Load(t, a)
	v.Op.Attr.Imm = 1
	return v
}

// LoadMasked loads the lanes in m and zeros elsewhere.
func (b *Builder) LoadMasked(t Type, m *Value, a Addr) *Value {
	args, at := a.operands(m)
	return b.one("loadm", at, t, args...)
}

// LoadSplat loads one element into every lane of t.
func (b *Builder) LoadSplat(t Type, a Addr) *Value {
	args, at := a.operands()
	return b.one("loadb", at, t, args...)
}

// LoadFactor is LoadSplat of what the next operation, an FMA, multiplies by and nothing
// else reads: AVX-512 has one instruction for both. If several FMAs share the factor, one
// load is less work.
func (b *Builder) LoadFactor(t Type, a Addr) *Value {
	v := b.LoadSplat(t, a)
	v.Op.Attr.Imm = 1
	return v
}

// Store stores v.
func (b *Builder) Store(v *Value, a Addr) {
	args, at := a.operands(v)
	b.Op("store", at, nil, args...)
}

// StoreMasked stores the lanes of v in m.
func (b *Builder) StoreMasked(v, m *Value, a Addr) {
	args, at := a.operands(v, m)
	b.Op("storem", at, nil, args...)
}

// Prefetch hints that the line at a will be read soon; level 0 is L1, 1 is L2.
func (b *Builder) Prefetch(level int64, a Addr) {
	args, at := a.operands()
	at.Imm = level
	b.Op("prefetch", at, nil, args...)
}
