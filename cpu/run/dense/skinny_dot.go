package dense

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/internal/budget"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// planDots cuts a product of dot kernels, and returns how many rows of the big operand a
// tile has.
func (p *product) planDots(pl *plan) (tile int) {
	s, vl := &pl.skinny, p.kern.VL
	s.groups = dotGroups(p.kern, s.small)
	deep := dotBytes / (s.small * p.size)
	s.kc = mem.Ceil(mem.Ceil(p.k, mem.Ceil(p.k, deep)), vl) * vl
	long, _ := p.kern.Dots(s.groups.Size, true)
	row := p.k * p.size
	tile = long.MR
	little, big := p.a, mem.Operand{RS: p.b.CS}
	if s.columns {
		little, big = mem.Operand{RS: p.b.CS, CS: p.b.RS}, p.a
	}
	s.copied = p.k > 1 && (little.CS != p.size || little.RS%page == 0)
	s.own = s.copied && mem.Volume(s.small, p.k, p.size) > budget.Panel
	s.strip, s.lead = tile*max(1, dotStrip/(tile*row)), p.k
	switch {
	case s.own: // what is copied is for many rows
		s.strip, s.lead = tile*max(1, dotChunk/(tile*s.kc*p.size)), s.kc
	case tile*row > 2*dotStrip:
		s.lead = mem.Ceil(dotStrip/(tile*p.size), s.kc) * s.kc
	}
	s.inOrder = s.lead == p.k && big.RS >= 0 && big.RS <= row+row/4
	s.chunk = s.strip * max(1, dotChunk/(s.strip*row))
	if pl.threads > 1 {
		s.chunk = min(s.chunk, mem.Ceil(mem.Ceil(s.long, 4*pl.threads), tile)*tile)
	}
	return tile
}

// dotGroups cuts the small side for dot kernels, into equal groups if it can: those with
// the fewest loads for each multiply-add.
func dotGroups(kern *kernel.Kernels, small int) mem.Split {
	best := mem.SplitUp(small, kern.DotMost())
	loads := func(n int) float64 {
		long, _ := kern.Dots(n, true)
		return 1/float64(n) + 1/float64(long.MR)
	}
	for n := kern.DotMost(); n > 1; n-- {
		if small%n == 0 && loads(n) < loads(best.Size) {
			best = mem.SplitUp(small, n)
		}
	}
	return best
}

// dotChunk computes rows from to to of the product if the small side is n, else its
// columns from to to. It makes vectors of partial sums a strip at a time, then joins
// them.
func (j *part) dotChunk(w *worker, from, to int) {
	s, kern, args := &j.plan.skinny, j.kern, &w.args
	i0, j0, rows, cols := 0, from, s.small, to-from
	if s.columns {
		i0, j0, rows, cols = from, 0, to-from, s.small
	}
	vec := kern.VL * j.size
	w.parts.Grow((rows*cols + kern.VL) * vec) // joins read whole vectors of them
	parts := mem.Operand{P: w.parts.P, RS: cols * vec, CS: vec}
	var equal [2]sweep // by the size of groups
	for i := range equal {
		x := &equal[i]
		if x.count = s.groups.Tall; i > 0 {
			x.count = s.groups.Count - x.count
		}
		x.n, x.at, x.fetches = s.groups.Size-i, i*s.groups.Tall*s.groups.Size, i == 0
		x.long, x.one = kern.Dots(x.n, s.columns)
	}
	for strip := from; strip < to; strip += s.strip {
		for i := range equal {
			if x := &equal[i]; x.count > 0 {
				x.first, x.from, x.to = from, strip, min(strip+s.strip, to)
				j.dotStrip(w, parts, x)
			}
		}
	}
	c, direct := j.sumsOf(w, i0, j0, rows, cols, true)
	j.begin(args, 0, direct)
	args.A, args.RsA, args.C, args.LdC = parts.P, int64(parts.RS), c.P, int64(c.RS)
	if c.RS == cols*j.size {
		rows, cols = 1, rows*cols
	}
	args.Tiles, args.K, args.N = int64(rows), int64(cols/kern.VL), int64(cols%kern.VL)
	kern.Of(kernel.Join)[0].F(args)
	if !direct {
		rows, cols = s.small, to-from
		if s.columns {
			rows, cols = cols, rows
		}
		j.finishChunk(w, c, i0, j0, rows, cols)
	}
}

// sweep is what dot kernels do for a strip with groups of one size. They do rows from to
// to of the big operand, whose partial sums are those of a chunk that begins at first.
type sweep struct {
	first, from, to int
	at, n, count    int // of the groups: where they begin in the small operand, how large, how many
	long, one       *kernel.Entry[kernel.Func[kernel.Args]]
	fetches         bool
}

// dotStrip computes partial sums with one k-block after another. All groups read a tile's
// rows while these are in L1.
func (j *part) dotStrip(w *worker, parts mem.Operand, x *sweep) {
	s, args := &j.plan.skinny, &w.args
	big := j.a
	if !s.columns {
		big = mem.Operand{P: j.b.P, RS: j.b.CS, CS: j.b.RS}
	}
	args.LdC = int64(parts.RS)
	tile := x.long.Other(x.n)
	tiles := (x.to - x.from) / tile
	for k := 0; k < j.k; k += s.kc {
		args.K, args.Mode = int64(min(s.kc, j.k-k)), kernel.ModeUpdate
		if k == 0 {
			args.Mode = kernel.ModeStore
		}
		block := mem.Operand{P: j.little.At(x.at, k), RS: j.little.RS, CS: j.little.CS}
		switch {
		case s.own:
			block = j.copyRows(w, &w.abuf, block, j.ta, x.n*x.count, int(args.K), packersA(j.kern))
		case s.copied:
			block.P = unsafe.Add(j.little.P, k*s.small*j.size+x.at*j.little.RS)
		}
		j.ahead(args, big, x, k, tile)
		if tiles > 0 {
			j.dotTiles(args, big, block, parts, x, k, x.from, tile, tiles, x.long)
		}
		if rest := x.from + tiles*tile; rest < x.to {
			args.Span, args.NextStep = 0, 0
			j.dotTiles(args, big, block, parts, x, k, rest, 1, x.to-rest, x.one)
		}
	}
}

// dotTiles runs a dot kernel on so many tiles of the big operand, from a row on. It does
// one tile with all groups at a time, or all tiles with the one group.
func (j *part) dotTiles(args *kernel.Args, big, block, parts mem.Operand, x *sweep, k, row, tile, tiles int, f *kernel.Entry[kernel.Func[kernel.Args]]) {
	bigStep, littleStep := tile, 0
	calls, each := 1, tiles
	if x.count > 1 {
		bigStep, littleStep = 0, x.n
		calls, each = tiles, x.count
	}
	args.Tiles = int64(each)
	next, ahead := &args.A, int(args.NextStep)*each
	step, stepC := tile*big.RS, tile*parts.RS
	if j.plan.skinny.columns {
		args.A, args.RsA, args.B, args.LdB = big.At(row, k), int64(big.RS), block.P, int64(block.RS)
		args.StepA, args.StepB = int64(bigStep*big.RS), int64(littleStep*block.RS)
		args.C, args.StepC = parts.At(row-x.first, x.at), int64(bigStep*parts.RS+littleStep*parts.CS)
	} else {
		next, stepC = &args.B, tile*parts.CS
		args.A, args.RsA, args.B, args.LdB = block.P, int64(block.RS), big.At(row, k), int64(big.RS)
		args.StepA, args.StepB = int64(littleStep*block.RS), int64(bigStep*big.RS)
		args.C, args.StepC = parts.At(x.at, row-x.first), int64(littleStep*parts.RS+bigStep*parts.CS)
	}
	for i := range calls {
		f.F(args)
		if i+1 < calls {
			*next, args.C, args.Fetch = unsafe.Add(*next, step), unsafe.Add(args.C, stepC), unsafe.Add(args.Fetch, ahead)
		}
	}
}

// ahead sets what dot kernels prefetch while they compute the k-block at k of a strip.
// They prefetch as much as they read, of as many of the next rows.
func (j *part) ahead(args *kernel.Args, big mem.Operand, x *sweep, k, tile int) {
	s := &j.plan.skinny
	lines := min(tile, x.n, 3) // that a kernel fetches in a step
	row, at := x.to, k
	if at+s.lead < j.k {
		row, at = x.from, k+s.lead
	} else {
		at = (k + s.lead) % j.k / s.kc * s.kc
	}
	switch {
	case !x.fetches || row+x.to-x.from > s.long: // nothing new
		args.Fetch, args.LdF, args.Span, args.NextStep = big.At(x.from, k), 0, 0, 0
	case s.inOrder:
		args.Fetch = unsafe.Add(big.At(row, 0), (x.to-x.from)/tile*tile*k*j.size)
		args.NextStep = int64(tile*int(args.K)*j.size) / int64(x.count)
		args.Span = int64(tile*mem.Line) / int64(x.count)
		args.LdF = args.Span / int64(lines)
	default:
		args.Fetch, args.LdF, args.Span = big.At(row, at), int64(big.RS), mem.Line
		args.NextStep = int64(tile*big.RS) / int64(x.count)
	}
}
