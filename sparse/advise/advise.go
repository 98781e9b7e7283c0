// Package advise says in which format a product of a sparse matrix with a dense one is fastest, what each format
// would cost, and why.
package advise

import (
	"slices"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Advice is what [For] found.
type Advice struct {
	Rows, Cols, NNZ int
	Features        int
	Machine         Machine
	Best            Candidate   // the choice
	Candidates      []Candidate // all, fastest first
	Reason          string      // of the choice, a sentence
	Balance         Balance
}

// Candidate is one way to store a matrix. It has a format for the whole, or rules that
// take it apart, or is for pruned weights: [format.Pack], [rule.Decompose] or cpu.Prune makes
// it.
type Candidate struct {
	Name    string
	Format  format.Format // of the whole matrix, if there are no rules and it is not for pruned weights
	Rules   []rule.Rule
	Pruned  bool
	Padding float64 // the part of the slots that holds no entry
	Bytes   int64   // structure and values
	Convert float64 // what conversion from compressed rows takes, in products in compressed rows
	Seconds float64 // that one product takes on one core
	// Least says that Seconds is what the busiest unit of the core alone takes, and that
	// this is already more than the choice takes in all. The caches were not simulated.
	// They would never take time away, so this is a lower bound.
	Least   bool
	Traffic Traffic
	Bound   string // what most of the time goes to: instructions, L2, L3, memory
	Why     string // it is not the choice
}

// margin is how much faster than compressed rows another way has to be, by the model.
// Its differences are about as exact as that, and conversion is not free.
const margin = .925

// For says which format makes a product of m with a dense matrix of so many columns
// fastest, what each format would cost, and why. It predicts the stock kernels of package
// cpu on one core of a machine.
//
// For each format it counts the work of the kernels and divides by what the core does in a
// cycle. It sends the columns of m through simulated caches, where an object is a row of
// B, and counts how often B comes from which level; see [Machine]. It does not simulate
// formats whose instructions alone take longer than the choice, and samples the columns of
// matrices with more than a million entries. It takes time linear in m for each format; no
// entry is copied.
func For[T dtype.Float](m sparse.Matrix[T], features int, on Machine) (Advice, error) {
	if err := checkAdvise("advise.For", features, &on); err != nil {
		return Advice{}, err
	}
	s := runs.Of(m.Canonical().Raw())
	a := Advice{Rows: s.M, Cols: s.N, NNZ: s.NNZ, Features: features, Machine: on}
	size := dtype.Of[T]().Size()
	a.consider(s, size)
	a.Balance = balance(s, on.Threads)
	return a, nil
}

// hopeless is a share of padding beyond which larger blocks, which are padded at
// least as much, are left out.
const hopeless = .95

// consider fills in candidates and choice.
func (a *Advice) consider(s runs.Set, size int) {
	var all []judged
	var best cost.Best[int]
	kern := kernelsFor(a.Machine.Of(a.Machine.ISA), size)
	padded := map[int]bool{} // sizes of blocks that are hopeless
	for _, p := range plans(s, a.Features*size, &a.Machine) {
		if p.block > 0 && slices.ContainsFunc(blockSizes, func(b int) bool { return padded[b] && p.block%b == 0 && p.block > b }) {
			continue
		}
		if err := p.prepare(s, &kern); err != nil {
			continue // the format refuses the matrix, for its size
		}
		padded[p.block] = p.block > 0 && p.padding(s.NNZ) > hopeless
		if p.rules != nil && (len(p.groups) < 2 || p.groups[0].Name == "rest") {
			continue // there is nothing to take apart
		}
		all = append(all, a.judge(p, s, size, all, best.Plan))
		switch last := len(all) - 1; {
		case last == 0:
			best.Offer(last, all[last].cost.seconds()*margin)
		case s.NNZ > 0 && !all[last].least:
			best.Offer(last, all[last].cost.seconds())
		}
	}
	a.conclude(all, best.Plan, s, size)
}

// judge says what a plan costs, given those before it.
func (a *Advice) judge(p *plan, s runs.Set, size int, before []judged, best int) judged {
	j := judged{plan: p, cost: p.work(&a.Machine, s, a.Features*size, size)}
	if len(before) > 0 && j.cost.work() > before[best].cost.seconds() {
		j.cost, j.least = spent{core: cost.Spent{cost.Instructions: j.cost.work()}}, true
		p.groups = nil // they hold arrays
		return j
	}
	return j.simulate(a, s, size, before)
}

// simulate adds what the caches do.
func (j judged) simulate(a *Advice, s runs.Set, size int, before []judged) judged {
	on, width := &a.Machine, a.Features*size
	j.rows, j.cols = s.M, s.N
	j.stream = j.streams(on, s.M, s.N, width)
	if len(before) > 0 && j.sameOrder() {
		j.traffic, j.lines = before[0].traffic, before[0].lines
		if before[0].stream && !j.stream { // stores that do not go past the caches read first
			j.traffic.C[machine.Memory] *= 2
		}
	} else {
		j.traffic = j.plan.traffic(on, s.M, s.N, width, size)
	}
	j.cost = j.cost.waits(on, j.plan, j.traffic, width)
	j.groups = nil // they hold arrays
	return j
}

// conclude makes candidates of what was judged, the choice first and then by time.
func (a *Advice) conclude(all []judged, best int, s runs.Set, size int) {
	rows := all[0].cost.seconds()
	for k, j := range all {
		c := j.candidate(size, s.NNZ, rows, a.Machine)
		if k != best {
			c.Why = j.worse(all[best], s)
		} else {
			a.Best = c
		}
		a.Candidates = append(a.Candidates, c)
	}
	cost.SortBy(a.Candidates, func(c Candidate) float64 {
		if c.Why == "" {
			return -1
		}
		return c.Seconds
	})
	a.Reason = a.reason(all, best, s, size)
}

// judged is a plan with what it costs.
type judged struct {
	*plan
	cost    spent
	traffic Traffic
	least   bool
}

func (j judged) candidate(size, nnz int, rows float64, on Machine) Candidate {
	c := Candidate{Name: j.name, Format: j.format, Rules: j.rules, Pruned: j.pruned, Padding: j.padding(nnz), Bytes: j.bytes(size),
		Seconds: j.cost.seconds(), Least: j.least, Traffic: j.traffic, Bound: j.cost.most()}
	if j.name != format.CSR.Name && rows > 0 {
		c.Convert = on.converts(j.slots()+int64(nnz)) / rows
	}
	return c
}
