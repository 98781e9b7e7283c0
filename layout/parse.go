package layout

import "github.com/tilesmith/tilesmith/layout/internal/scan"

// ParseTuple reads a tuple as [Tuple.String] writes it: ((4,8),2). Spaces are
// skipped. The error says the column, what is there and what would be right.
func ParseTuple(text string) (Tuple, error) {
	p := newParser(text)
	t, err := p.tuple(0)
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return Tuple{}, err
	}
	return t, nil
}

// Parse reads a layout as [Layout.String] writes it: ((4,8),2):((32,1),16). Spaces
// are skipped. It refuses what [Make] refuses.
func Parse(text string) (Layout, error) {
	p := newParser(text)
	l, err := p.layout()
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return Layout{}, err
	}
	return l, nil
}

// MustParse is Parse for text that is known to be right; it panics with the error.
func MustParse(text string) Layout {
	l, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return l
}

// ParseSwizzled reads a layout with or without a swizzle before it, as in
// Sw<3,4,3> o (8,64):(64,1).
func ParseSwizzled(text string) (Swizzled, error) {
	p := newParser(text)
	s, err := p.swizzled()
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return Swizzled{}, err
	}
	return s, nil
}

type parser struct {
	scan.Scanner
	leaves int
}

func newParser(text string) parser {
	return parser{Scanner: scan.Scanner{Text: text, Err: func(why string) error { return ShapeError{"layout", why} }}}
}

func (p *parser) swizzled() (s Swizzled, err error) {
	if p.Take("Sw") {
		for i, x := range []struct {
			before string
			to     *int
		}{{"<", &s.swizzle.B}, {",", &s.swizzle.M}, {",", &s.swizzle.S}} {
			if err := p.Want(x.before); err != nil {
				return s, err
			}
			minus := i == 2 && p.Take("-") // no other number has a sign
			if *x.to, err = p.Number(maxSize); err != nil {
				return s, err
			}
			if minus {
				*x.to = -*x.to
			}
		}
		if err := p.Want(">"); err != nil {
			return s, err
		}
		if err := s.swizzle.Check(); err != nil {
			return s, err
		}
		if err := p.Want("o"); err != nil {
			return s, err
		}
	}
	s.layout, err = p.layout()
	return s, err
}

func (p *parser) layout() (Layout, error) {
	shape, err := p.tuple(0)
	if err != nil {
		return Layout{}, err
	}
	if err := p.Want(":"); err != nil {
		return Layout{}, err
	}
	stride, err := p.tuple(0)
	if err != nil {
		return Layout{}, err
	}
	return Make(shape, stride)
}

func (p *parser) tuple(depth int) (t Tuple, err error) {
	if !p.Take("(") {
		if p.leaves++; p.leaves > 2*maxLeaves {
			return t, p.Fail("more than %d integers", 2*maxLeaves)
		}
		n, err := p.Number(maxSize)
		return Int(n), err
	}
	if depth == maxDepth {
		p.At--
		return t, p.Fail("nested deeper than %d", maxDepth)
	}
	if p.Take(")") {
		return t, nil
	}
	for {
		m, err := p.tuple(depth + 1)
		if err != nil {
			return t, err
		}
		t.modes = append(t.modes, m)
		if p.Take(")") {
			return t, nil
		}
		if !p.Take(",") {
			return t, p.Fail("%s, want ',' or ')'", p.Shown())
		}
	}
}
