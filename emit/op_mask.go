package emit

// The rows of the op table between masks and the bits of integers, for masks that are stored.

func init() {
	def(Def{Name: "maskbits", Doc: "the lanes of a mask as bits of an i64, the first lane's the lowest; bits above are 0", Type: func(op *Op) error {
		ok := len(op.Args) == 1 && len(op.Results) == 1 && isStoredMask(op.Args[0].Type) && op.Results[0].Type == Int64
		return want(ok, "takes a mask of at most 64 lanes and gives an i64")
	}})
	def(Def{Name: "maskof", Doc: "a mask of the low bits of an i64, the lowest the first lane's; bits above do not count", Type: func(op *Op) error {
		ok := len(op.Args) == 1 && len(op.Results) == 1 && op.Args[0].Type == Int64 && isStoredMask(op.Results[0].Type)
		return want(ok, "takes an i64 and gives a mask of at most 64 lanes")
	}})
}

func isStoredMask(t Type) bool { return t == Vector(I1, t.Lanes) && 1 < t.Lanes && t.Lanes <= 64 }

// MaskBits returns the lanes of the mask m as bits of an i64, the first lane's the lowest.
func (b *Builder) MaskBits(m *Value) *Value { return b.one("maskbits", Attr{}, Int64, m) }

// MaskOf returns the mask whose lanes are the low bits of x, for vectors like t.
func (b *Builder) MaskOf(t Type, x *Value) *Value { return b.one("maskof", Attr{}, t.Mask(), x) }

func makeMaskBits(_ *program, s *step, _ []*block) action {
	return func(t *thread) error {
		var n uint64
		for i, x := range t.v[s.args[0]].Lane {
			n |= x & 1 << i
		}
		t.v[s.results[0]].Lane[0] = n
		return nil
	}
}

func makeMaskOf(_ *program, s *step, _ []*block) action {
	return func(t *thread) error {
		n := t.v[s.args[0]].Lane[0]
		for i := range t.v[s.results[0]].Lane {
			t.v[s.results[0]].Lane[i] = n >> i & 1
		}
		return nil
	}
}
