package spmm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// MethodsOptions say for what [Methods] compares.
type MethodsOptions struct {
	Ranks    int
	Features int
	Network  cost.Link
	Rates    Rates // the zero value: PredictRates on a reference machine, the same everywhere
	Chunks   int   // see Options; 0 is 1
	Part     part.Options
}

// A Method is a way to spread a product over ranks.
type Method struct {
	What  string // a sentence
	Cover bool   // for Options

	// Rows and Cols say who owns what, for parts.Divide. Cols is nil if it is Rows.
	Rows, Cols []int32

	MaxRank int64     // bytes that one rank sends or receives at most
	Balance float64   // how long the busiest rank computes, by the mean: 1 at best
	Ranks   []float64 // seconds until each has its rows
}

// Comparison is what [Methods] found.
type Comparison struct {
	// Methods are "all-gather", "rows", "hypergraph" and "cover", with the bytes and messages
	// that all ranks send, and the seconds until the last rank has its rows.
	Methods []cost.Candidate[Method]
	Best    int     // the fastest
	One     float64 // seconds of the product on one rank
	Rates   Rates
	Why     string // a sentence on the choice
}

// Methods compares ways to spread a product of a with a dense matrix over ranks:
//
//	all-gather  rows in order, and every rank gets all of B, round a ring
//	rows        rows in order, and only rows of B that are needed are sent
//	hypergraph  rows of a partition that sends few, see [part.Make]
//	cover       the same, and for each pair of ranks rows of B or sums, whichever are fewer
//
// The same arguments give the same comparison; only rates that were measured differ from call to call.
//
// With more ranks than rows there is no partition to search for, and the last two are
// those of rows. A square matrix owns its rows of B as those of Y; of another, B is placed
// where it is read.
func Methods[T dtype.Float](a sparse.Matrix[T], o MethodsOptions) (Comparison, error) {
	c, err := compare(a, o)
	if err != nil {
		return c, fmt.Errorf("spmm.Methods: %w", err)
	}
	return c, nil
}

func compare[T dtype.Float](a sparse.Matrix[T], o MethodsOptions) (c Comparison, err error) {
	m, n := a.Dims()
	switch {
	case o.Ranks < 1 || o.Ranks > part.MaxParts:
		return c, fmt.Errorf("%d ranks; want 1 to %d", o.Ranks, part.MaxParts)
	case o.Features < 1 || o.Features > sparse.MaxDim:
		return c, fmt.Errorf("%d features; want 1 to %d", o.Features, sparse.MaxDim)
	case o.Chunks < 0 || o.Chunks > 1<<12:
		return c, fmt.Errorf("%d chunks; want 1 to 4096, or 0 for one", o.Chunks)
	}
	if err := cmp.Or(o.Network.Check(), o.Rates.check()); err != nil {
		return c, err
	}
	if o.Rates == (Rates{}) {
		if o.Rates, err = PredictRates(a, o.Features, reference()); err != nil {
			return c, err
		}
	}
	c.Rates = o.Rates
	c.One = o.Rates.multiply(Load{Entries: int64(a.NNZ()), Rows: int64(m)})

	// Parts of as much work, a row of Y counted as the entries that take as long.
	model := part.Model{Weights: make([]int32, m)}
	row := 0.0
	if o.Rates.Entry > 0 {
		row = math.Round(min(o.Rates.Row/o.Rates.Entry, 1<<10)) // last bits differ from machine to machine
	}
	for i := range model.Weights {
		model.Weights[i] = int32(min(float64(a.RowNNZ(i))+row, 1<<30))
	}
	if m != n {
		model.Ownership = part.Free
	}
	h, err := part.ColumnNet(a, model)
	if err != nil {
		return c, err
	}
	rows, cols, err := inOrder(h, m, n, o.Ranks)
	if err != nil {
		return c, err
	}
	best, bestCols := rows, cols
	if o.Ranks > 1 && o.Ranks <= m {
		p, err := part.Make(h, o.Ranks, o.Part)
		if err != nil {
			return c, err
		}
		if best, bestCols, err = owners(h, p); err != nil {
			return c, err
		}
	}
	for _, x := range []cost.Candidate[Method]{
		{Name: "all-gather", Plan: Method{What: "every rank gets all of B", Rows: rows, Cols: cols}},
		{Name: "rows", Plan: Method{What: "rows in order, and the rows of B that they need", Rows: rows, Cols: cols}},
		{Name: "hypergraph", Plan: Method{What: "rows that need few rows of B of other ranks", Rows: best, Cols: bestCols}},
		{Name: "cover", Plan: Method{What: "the same, with sums where they are fewer", Rows: best, Cols: bestCols, Cover: true}},
	} {
		p := &x.Plan
		t, err := CountTraffic(a, o.Ranks, p.Rows, p.Cols, p.Cover)
		if err != nil {
			return c, err
		}
		width := o.Features * dtype.Of[T]().Size()
		if x.Name == "all-gather" {
			x.Work = p.allGather(t, a.Cols(), width, o)
		} else {
			var bytes int64
			bytes, p.MaxRank = t.Bytes(o.Features, dtype.Of[T]().Size())
			x.Work = cost.Work{Messages: float64(t.Messages() * int64(max(o.Chunks, 1))), Sent: float64(bytes)}
			if p.Ranks, err = t.Predict(o.Network, o.Rates, width, o.Chunks); err != nil {
				return c, err
			}
		}
		p.Balance, x.Seconds = t.balance(o.Rates), slices.Max(p.Ranks)
		x.Note = fmt.Sprintf("at most %d bytes of a rank; the busiest computes %.2f times the mean", p.MaxRank, p.Balance)
		c.Methods = append(c.Methods, x)
	}
	c.choose(a.NNZ())
	return c, nil
}

// inOrder owns rows in order of numbers, with about as many entries each.
func inOrder(h *part.Hypergraph, m, n, ranks int) (rows, cols []int32, err error) {
	if ranks <= m {
		p, err := part.Contiguous(h, ranks)
		if err != nil {
			return nil, nil, err
		}
		return owners(h, p)
	}
	parts := make([]int32, m)
	for i := range parts {
		parts[i] = int32(i)
	}
	p, err := part.New(ranks, parts)
	if err != nil {
		return nil, nil, err
	}
	return owners(h, p)
}

// owners returns who owns rows, and columns if that differs.
func owners(h *part.Hypergraph, p part.Partition) (rows, cols []int32, err error) {
	of, err := part.Owners(h, p)
	if err != nil {
		return nil, nil, err
	}
	rows, cols = p.Parts(), of.Parts()
	switch {
	case slices.Equal(rows, cols):
		cols = nil
	case cols == nil: // a matrix without columns, whose owners are known all the same
		cols = []int32{}
	}
	return rows, cols, nil
}

// allGather is the cost of sending everything to everybody. In each of p-1 rounds every
// rank sends on what came in the round before, and nothing is multiplied meanwhile.
func (x *Method) allGather(t Traffic, n, width int, o MethodsOptions) (sent cost.Work) {
	p := int64(o.Ranks)
	bytes := int64(n) * int64(width)
	sent.Sent = float64((p - 1) * bytes)
	owned := make([]int64, p)
	cols := x.Cols
	if cols == nil {
		cols = x.Rows
	}
	for _, q := range cols {
		owned[q] += int64(width)
	}
	for _, b := range owned {
		x.MaxRank = max(x.MaxRank, bytes-b) // all but its own comes, and all but the next one's goes
		if b > 0 {
			sent.Messages += float64(p - 1) // what is empty is not sent
		}
	}
	// The largest share goes all the way round, at a rank's bandwidth.
	gathered := 0.0
	if largest := slices.Max(owned); largest > 0 {
		gathered = o.Network.Time(float64(p-1), float64((p-1)*largest))
	}
	for _, l := range t.Loads {
		x.Ranks = append(x.Ranks, gathered+o.Rates.multiply(l))
	}
	return sent
}

// choose takes the fastest, and of those within a twentieth of it the simplest.
func (c *Comparison) choose(entries int) {
	c.Best = cost.Choose(c.Methods, .05)
	best := c.Methods[c.Best]
	switch {
	case len(best.Plan.Ranks) == 1:
		c.Why = "one rank has nothing to send"
	case entries == 0:
		c.Why = "a matrix without entries needs nothing sent"
	case c.One <= best.Seconds:
		c.Why = fmt.Sprintf("%s is the fastest of these, but one rank alone takes %s: the network is too slow for this product", best.Name, cost.Seconds(c.One))
	default:
		c.Why = fmt.Sprintf("%s is within 5 %% of the fastest, and the simplest that is: %.1f times as fast as one rank", best.Name, c.One/best.Seconds)
	}
}

// String is a table of the methods, and the choice.
func (c Comparison) String() string {
	var b strings.Builder
	cost.Table(&b, c.Methods, c.Best)
	fmt.Fprintf(&b, "one rank: %s\n%s\n", cost.Seconds(c.One), c.Why)
	return b.String()
}
