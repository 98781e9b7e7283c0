package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// mmaLoad is how an operand of mma comes into registers.
type mmaLoad struct {
	reads
	// fragments makes the operands of instructions of what was loaded: for each step of K
	// one for each of a warp's fragments.
	fragments func(b *emit.Builder, x []*emit.Value) [][]*emit.Value
}

// spread is how many neighbours along M or N a lane takes at once. ldmatrix transposes
// elements of 16 bits only; for others, lanes load words of neighbours.
func (o mma) spread(kMajor bool) int {
	switch size := o.elem.Bytes(); {
	case kMajor || size == 2:
		return 1
	case size == 8:
		return 2
	}
	return 4
}

// load returns the loads of n rows of A (halves is the groups of eight of a fragment) or
// columns of B (halves is 1). other says how the other operand lies. k stands for the same in
// both, so it may be in another order only if both are along M and N.
func (o mma) load(n, halves int, kMajor, other bool) mmaLoad {
	switch size := o.elem.Bytes(); {
	case size == 8:
		return o.loadDoubles(n, halves, kMajor)
	case kMajor || size == 2:
		return o.loadMatrices(n, halves == 2, kMajor)
	case size == 4:
		return o.loadWords(n, halves, 2, !other)
	}
	return o.loadBytes(n, halves, 2, !other)
}

// loadMatrices loads by ldmatrix (section 9.7.14.5.15), 16 bytes a row. A fragment of A is
// four matrices of 8 rows, and those of B are two times two. In each group of eight lanes,
// lane i points at line i of one of the four.
func (o mma) loadMatrices(n int, a, kMajor bool) mmaLoad {
	form := map[emit.Elem][4]*emit.Instruction{ // of B, of A, and their transposes
		emit.BF16: {inst.LdmatrixB, inst.LdmatrixA, inst.LdmatrixBTrans, inst.LdmatrixATrans},
		emit.F16:  {inst.LdmatrixF16B, inst.LdmatrixF16A, inst.LdmatrixF16BTrans, inst.LdmatrixF16ATrans},
	}
	forms, ok := form[o.elem]
	if !ok {
		forms = [4]*emit.Instruction{inst.LdmatrixWordsB, inst.LdmatrixWordsA}
	}
	ld := forms[0]
	switch {
	case a && kMajor:
		ld = forms[1]
	case a:
		ld = forms[3]
	case !kMajor:
		ld = forms[2]
	}
	across := 16 / o.elem.Bytes() // elements of a row of a matrix
	l := mmaLoad{
		reads: reads{
			// The second of the four matrices is 8 further along mn for A, along k for B, and the
			// third 8 further along the other. kMajor: lines are along k.
			lane: func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) {
				far := func(bit, n int) *emit.Value { // n if the bit of the lane is set
					return times(b, b.And(b.Shr(lane, b.Int(int64(bit))), b.Int(1)), n)
				}
				low := b.And(lane, b.Int(7))
				if a {
					mn, k = far(3, 8), far(4, across)
				} else {
					mn, k = far(4, 8), far(3, across)
				}
				if kMajor {
					return b.Or(mn, low), k
				}
				return mn, b.Or(k, low)
			},
			align: 16,
			load:  func(b *emit.Builder, at emit.Addr) []*emit.Value { return b.Inst(ld, 0, pointer(b, at)) },
		},
		fragments: func(b *emit.Builder, x []*emit.Value) [][]*emit.Value {
			if o.round == nil {
				return [][]*emit.Value{x}
			}
			var rounded []*emit.Value
			for _, f := range x {
				rounded = append(rounded, o.packed(b, b.Unpack(f)))
			}
			return [][]*emit.Value{rounded}
		},
	}
	for i := 0; i < n; i += 16 {
		l.at = append(l.at, coordinate{i, 0})
	}
	return l
}

// packed makes an operand of words, each rounded if they are to be.
func (o mma) packed(b *emit.Builder, words []*emit.Value) *emit.Value {
	words = slices.Clone(words)
	for i, w := range words {
		if o.round != nil {
			words[i] = b.Inst(o.round, 0, w)[0]
		}
	}
	return b.Pack(words...)
}

// quads returns lane/4 times s, which is along mn, and lane%4 times u, which is along k.
func quads(s, u int) func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) {
	return func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) {
		mn, k = split(b, lane, 4)
		return times(b, mn, s), times(b, k, u)
	}
}

// byFours makes fragments of words of neighbours: word(b, u, r)[j] is register r along k,
// of so many, of group j of the u'th four.
func (o mma) byFours(b *emit.Builder, n, halves, along int, word func(u, r int) []*emit.Value) [][]*emit.Value {
	var list []*emit.Value
	for u := range n / 32 {
		w := make([][]*emit.Value, along)
		for r := range w {
			w[r] = word(u, r)
		}
		for j := 0; j < 4; j += halves {
			var regs []*emit.Value
			for r := range w {
				regs = append(regs, w[r][j:j+halves]...)
			}
			list = append(list, o.packed(b, regs))
		}
	}
	return [][]*emit.Value{list}
}

// loadWords loads 32-bit elements that lie along M or N, four at once; a fragment has so many
// registers along k. free, of two, says that k may be in an order in which no two lanes that
// load together meet in a bank.
func (o mma) loadWords(n, halves, along int, free bool) mmaLoad {
	step, far := 1, 4
	if free {
		step, far = 2, 1
	}
	l := mmaLoad{
		reads: reads{lane: quads(4, step), align: 16, load: func(b *emit.Builder, at emit.Addr) []*emit.Value {
			return lanesOf(b, b.Load(emit.Vector(emit.I32, 4), at))
		}},
		fragments: func(b *emit.Builder, x []*emit.Value) [][]*emit.Value {
			return o.byFours(b, n, halves, along, func(u, r int) []*emit.Value { return x[4*(along*u+r):][:4] })
		},
	}
	for i := 0; i < n; i += 32 {
		for r := range along {
			l.at = append(l.at, coordinate{i, r * far})
		}
	}
	return l
}

// loadBytes loads 8-bit elements that lie along M or N: words of four, which are transposed
// four by four.
func (o mma) loadBytes(n, halves, along int, free bool) mmaLoad {
	step, at := 4, [4]int{0, 1, 2, 3}
	if free {
		step, at = 2, [4]int{0, 1, 8, 9}
	}
	l := mmaLoad{
		reads: reads{lane: quads(4, step), align: 4, load: func(b *emit.Builder, at emit.Addr) []*emit.Value {
			return []*emit.Value{b.Load(emit.Int32, at)}
		}},
		fragments: func(b *emit.Builder, x []*emit.Value) [][]*emit.Value {
			return o.byFours(b, n, halves, along, func(u, r int) []*emit.Value { return transposed(b, x[4*(along*u+r):][:4]) })
		},
	}
	for i := 0; i < n; i += 32 {
		for r := range along {
			for _, k := range at {
				l.at = append(l.at, coordinate{i, 16*r + k})
			}
		}
	}
	return l
}

// transposed returns the transpose of 4 x 4 bytes: word j of byte j of each word.
func transposed(b *emit.Builder, w []*emit.Value) []*emit.Value {
	of := func(x, y *emit.Value, digits int64) *emit.Value { return b.Inst(inst.Permute, digits, x, y)[0] }
	low, high := [2]*emit.Value{}, [2]*emit.Value{}
	for i := range 2 {
		low[i], high[i] = of(w[2*i], w[2*i+1], 0x5140), of(w[2*i], w[2*i+1], 0x7362)
	}
	return []*emit.Value{of(low[0], low[1], 0x5410), of(low[0], low[1], 0x7632), of(high[0], high[1], 0x5410), of(high[0], high[1], 0x7632)}
}

// loadDoubles loads f64, two at once along whichever index they lie. Lane t of a quad has
// k of 2t and 2t+1 in every eight.
func (o mma) loadDoubles(n, halves int, kMajor bool) mmaLoad {
	eights, quarters := o.depth()/8, o.k/4 // of a step, of an instruction
	l := mmaLoad{reads: reads{lane: quads(1, 2), align: 16, load: func(b *emit.Builder, at emit.Addr) []*emit.Value {
		return lanesOf(b, b.Load(emit.Vector(emit.F64, 2), at))
	}}}
	// value returns what lane holds of group q at the s'th k of the u'th eight.
	var value func(x []*emit.Value, q, u, s int) *emit.Value
	if kMajor {
		for i := 0; i < n; i += 8 {
			for u := range eights {
				l.at = append(l.at, coordinate{i, 8 * u})
			}
		}
		value = func(x []*emit.Value, q, u, s int) *emit.Value { return x[(q*eights+u)*2+s] }
	} else {
		l.lane = quads(2, 2)
		for i := 0; i < n; i += 16 {
			for k := range 2 * eights {
				l.at = append(l.at, coordinate{i, k/2*8 + k%2})
			}
		}
		value = func(x []*emit.Value, q, u, s int) *emit.Value { return x[((q/2*eights+u)*2+s)*2+q%2] }
	}
	l.fragments = func(b *emit.Builder, x []*emit.Value) [][]*emit.Value {
		list := make([][]*emit.Value, 2*eights/quarters)
		for i := range list {
			for q := 0; q < n/8; q += halves {
				var regs []*emit.Value
				for p := range quarters {
					for h := range halves {
						k := i*quarters + p
						regs = append(regs, value(x, q+h, k/2, k%2))
					}
				}
				list[i] = append(list[i], b.Pack(regs...))
			}
		}
		return list
	}
	return l
}
