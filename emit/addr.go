package emit

import "math"

// FoldAddresses moves the arithmetic of addresses into the memory operations. "addp p,
// constant" goes into the offset, as long as that fits in 32 bits. "addp p, i*s" with s
// of 1, 2, 4 or 8 (or a shift by 0 to 3) becomes index and scale, if there is no index
// yet. A pointer's known alignment is that of the new pointer alone; offset and index
// take away from it. The additions are left for [DeadCode]. It never fails.
func FoldAddresses(f *Func) error {
	tied := tiedValues(f.Body)
	f.Body.Walk(func(op *Op) {
		for foldAddress(op, tied) {
		}
	})
	return nil
}

// foldAddress takes one addition out of the address of op and reports whether
// there was one. It does not lengthen the life of tied values.
func foldAddress(op *Op, tied map[*Value]bool) bool {
	p, index := op.Address()
	if p == nil || p.Op == nil || p.Op.Def.Name != "addp" {
		return false
	}
	base, n := p.Op.Args[0], p.Op.Args[1]
	if tied[base] {
		return false
	}
	at := len(op.Args) - 1 // of the pointer
	if index != nil {
		at--
	}
	if c, ok := n.intConstant(); ok {
		off := op.Attr.Off + c
		if !fits32(c) || !fits32(op.Attr.Off) || !fits32(off) {
			return false
		}
		op.Args[at], op.Attr.Off = base, off
		return true
	}
	i, scale := scaled(n)
	if index != nil || i == nil || tied[i] {
		return false
	}
	op.Args[at] = base
	op.Args = append(op.Args, i)
	op.Attr.Scale = scale
	return true
}

// scaled returns i and s if n is computed as i*s with a scale that addresses have.
func scaled(n *Value) (i *Value, s int64) {
	if n.Op == nil {
		return nil, 0
	}
	switch n.Op.Def.Name {
	case "mul":
		for k, v := range n.Op.Args {
			switch c, _ := v.intConstant(); c {
			case 1, 2, 4, 8:
				return n.Op.Args[1-k], c
			}
		}
	case "shl":
		if c, ok := n.Op.Args[1].intConstant(); ok && 0 <= c && c <= 3 {
			return n.Op.Args[0], 1 << c
		}
	}
	return nil, 0
}

func fits32(n int64) bool { return math.MinInt32 <= n && n <= math.MaxInt32 }
