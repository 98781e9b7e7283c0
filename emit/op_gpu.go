package emit

// The rows of the op table that only a GPU has.

func init() {
	def(Def{Name: "shared", Type: typeShared,
		Doc: "the address of byte imm of the CTA's dynamic shared memory, which begins at a multiple of 1024"})
}

// sharedAlign is what the start of dynamic shared memory is aligned to: the largest
// pattern that a swizzle has.
const sharedAlign = 1024

func typeShared(op *Op) error {
	if len(op.Args) != 0 || len(op.Results) != 1 {
		return want(false, "takes no operand and gives one result")
	}
	t, imm := op.Results[0].Type, op.Attr.Imm
	if !t.Ptr || t.Space != Shared {
		return want(false, "gives a pointer to shared memory, not %v", t)
	}
	if imm < 0 || imm > 1<<20 {
		return want(false, "byte %d is in no shared memory", imm)
	}
	a := int64(max(t.Align, 1))
	return want(a <= sharedAlign && imm%a == 0, "byte %d of shared memory is not aligned to %d", imm, a)
}

// Shared returns the address of byte off of the CTA's dynamic shared memory, as a
// pointer aligned to align bytes.
func (b *Builder) Shared(off int64, align int) *Value {
	return b.one("shared", Attr{Imm: off}, Pointer(Shared, align))
}

// AddPAligned returns p moved by n bytes, with the promise that the result is
// aligned to align bytes.
func (b *Builder) AddPAligned(p, n *Value, align int) *Value {
	return b.one("addp", Attr{}, Pointer(p.Type.Space, align), p, n)
}

func makeShared(p *program, s *step, _ []*block) action {
	m := p.m.Shared
	if m == nil {
		p.refuse(s.op, "the machine has no shared memory")
		return nil
	}
	if m.Base%sharedAlign != 0 {
		p.refuse(s.op, "the machine's shared memory begins at %d, not at a multiple of %d", m.Base, sharedAlign)
		return nil
	}
	p.fixed[s.results[0]] = PtrTo(m, s.op.Attr.Imm)
	return nil
}
