package layout

import (
	"cmp"
	"slices"
)

// Coalesce returns the shortest layout that is the same function of an integer. It
// flattens as far as it can, merges neighbouring modes and drops modes of size 1. Its
// depth is at most 1.
//
//	(2,(1,6)):(1,(6,2))  ->  12:1
func Coalesce(l Layout) Layout { return flat(coalesce(l.leaves())) }

// coalesce merges modes in place: s:d and then t:(s*d) are one mode, s*t:d.
func coalesce(ms []mode) []mode {
	out := ms[:0]
	for _, m := range ms {
		if m.n == 1 {
			continue
		}
		if k := len(out) - 1; k >= 0 && m.d == out[k].n*out[k].d {
			out[k].n *= m.n
			continue
		}
		out = append(out, m)
	}
	return out
}

// CoalesceBy coalesces every part of l that faces an integer of profile, and keeps
// the nesting above. With (1,1) the two modes of a matrix stay apart. The integers mean
// nothing. It refuses a profile that is nested where l is not.
func CoalesceBy(l Layout, profile Tuple) (Layout, error) {
	if profile.leaf {
		return Coalesce(l), nil
	}
	if l.shape.leaf || l.Rank() != profile.Rank() {
		return Layout{}, refuse("CoalesceBy", "%v has no modes that face those of profile %v", l, profile)
	}
	modes := l.Modes()
	for i := range modes {
		m, err := CoalesceBy(modes[i], profile.modes[i])
		if err != nil {
			return Layout{}, err
		}
		modes[i] = m
	}
	return join(modes), nil
}

// Compose returns the layout r with r(c) = a(b(c)) for every coordinate c of b:
// the elements of a that b names, in b's order. r's shape refines b's. Each leaf of
// b is taken through the coalesced a, from the left. It steps over whole modes of a,
// takes a part of the mode it lands in, and goes on in the next.
//
//	(6,2):(8,2) o (4,3):(3,1)  =  ((2,2),3):((24,2),8)
//
// Compose refuses b if the result is not a layout:
//
//   - b reaches beyond a.
//   - Compose fails if a leaf leaves a mode of a and its stride neither divides the
//     mode's size nor is a multiple of it. It also fails if the part that a leaf takes of
//     a mode does not divide the mode's size.
//   - Leaves of b together carry from one mode of a into the next, so that a of a sum is
//     not the sum.
func Compose(a, b Layout) (Layout, error) {
	if b.Cosize() > a.Size() {
		return Layout{}, refuse("Compose", "%v reaches element %d of %v, which has %d", b, b.Cosize()-1, a, a.Size())
	}
	c := composer{a: coalesce(a.leaves()), b: b}
	c.used = make([]int, len(c.a))
	r, err := c.layout(b)
	if err != nil {
		return Layout{}, err
	}
	for i, m := range c.a {
		if c.used[i] >= m.n {
			return Layout{}, refuse("Compose", "the modes of %v together step to %d in mode %d of %v, whose size is %d",
				b, c.used[i], i, flat(c.a), m.n)
		}
	}
	return r, nil
}

// ComposeBy composes mode i of a with tiler i; modes without a tiler stay.
func ComposeBy(a Layout, tiler ...Layout) (Layout, error) {
	if len(tiler) > a.Rank() {
		return Layout{}, refuse("ComposeBy", "%d tilers for %v, which has %d modes", len(tiler), a, a.Rank())
	}
	modes := a.Modes()
	for i, t := range tiler {
		m, err := Compose(modes[i], t)
		if err != nil {
			return Layout{}, within("ComposeBy", inMode(i, err))
		}
		modes[i] = m
	}
	return join(modes), nil
}

type composer struct {
	a    []mode // coalesced
	b    Layout
	used []int // the largest coordinate in each mode of a that leaves of b sum up to
}

func (c *composer) layout(b Layout) (Layout, error) {
	if b.shape.leaf {
		ms, err := c.leaf(mode{b.shape.n, b.stride.n})
		return flat(ms), err
	}
	modes := b.Modes()
	for i := range modes {
		m, err := c.layout(modes[i])
		if err != nil {
			return Layout{}, err
		}
		modes[i] = m
	}
	return join(modes), nil
}

// leaf takes one leaf of b through a.
func (c *composer) leaf(b mode) (out []mode, err error) {
	if b.n == 1 {
		return nil, nil
	}
	if b.d == 0 {
		return []mode{b}, nil
	}
	n, d := b.n, b.d // what is left of it
	for i, a := range c.a {
		if (n-1)*d < a.n { // it stays in this mode
			c.used[i] += (n - 1) * d
			return append(out, mode{n, d * a.d}), nil
		}
		switch {
		case d%a.n == 0: // over the mode
			d /= a.n
		case a.n%d == 0: // through the mode, in steps that fit
			part := a.n / d
			if n%part != 0 {
				return nil, refuse("Compose", "mode %v of %v: %d elements are not a multiple of the %d that mode %d of %v holds at stride %d",
					b, c.b, n, part, i, flat(c.a), d)
			}
			c.used[i] += (part - 1) * d
			out = append(out, mode{part, d * a.d})
			n, d = n/part, 1
		default:
			return nil, refuse("Compose", "mode %v of %v: stride %d and mode %d of %v, whose size is %d, do not divide one another",
				b, c.b, d, i, flat(c.a), a.n)
		}
		if n == 1 {
			return out, nil
		}
	}
	panic("layout: a leaf within the bounds of a layout left it")
}

// Complement returns the layout r that fills the gaps of l up to offset m: l and r
// together reach every offset below m exactly once. r's strides increase. Modes
// of size 1 and of stride 0 do not count.
//
//	complement of (2,2):(1,6) up to 24  =  (3,2):(2,12)
//
// Complement refuses l if a stride is not a multiple of the offset at which the modes with
// smaller strides end. It also refuses m unless it is a multiple of the last such offset.
func Complement(l Layout, m int) (Layout, error) {
	if m < 1 || m > maxSize {
		return Layout{}, refuse("Complement", "up to %d, not 1 to %d", m, maxSize)
	}
	var out []mode
	at := 1
	for _, k := range byStride(l) {
		if k.d%at != 0 {
			return Layout{}, refuse("Complement", "mode %v of %v: stride %d is not a multiple of %d, where the modes below it end", k, l, k.d, at)
		}
		out = append(out, mode{k.d / at, at})
		at = k.n * k.d
	}
	if m%at != 0 {
		return Layout{}, refuse("Complement", "%d is not a multiple of %d, where %v ends", m, at, l)
	}
	return flat(coalesce(append(out, mode{m / at, at}))), nil
}

// byStride returns the leaves of l that reach distinct offsets, by stride.
func byStride(l Layout) []mode {
	ms := slices.DeleteFunc(l.leaves(), func(m mode) bool { return m.n == 1 || m.d == 0 })
	slices.SortStableFunc(ms, func(a, b mode) int { return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.n, b.n)) })
	return ms
}

// end returns the smallest number up to which l can have a complement.
func (l Layout) end() int {
	if ms := byStride(l); len(ms) > 0 {
		m := ms[len(ms)-1]
		return m.n * m.d
	}
	return 1
}
