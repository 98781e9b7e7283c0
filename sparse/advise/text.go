package advise

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// worse says why a plan is not the choice.
func (j judged) worse(best judged, s runs.Set) string {
	ratio := j.cost.seconds() / best.cost.seconds()
	atLeast := ""
	if j.least {
		atLeast = "at least "
	}
	why := ""
	pad := j.padding(s.NNZ)
	switch visits := j.visits(s.M); {
	case pad > .2 && j.parts[0].order == byBlocks:
		why = percent(pad) + " of its blocks is padding, which the dense kernel multiplies"
	case pad > .2:
		why = percent(pad) + " of its slots are padding, each a test and a read"
	case len(j.parts) > 0 && j.parts[0].order == byColumns:
		why = fmt.Sprintf("it reads and writes C for every entry, %.1f times a row", visits)
	case !j.least && j.traffic.Sum()[machine.Memory] > best.traffic.Sum()[machine.Memory]*11/10:
		why = fmt.Sprintf("%s from memory instead of %s", cost.Bytes(j.traffic.Sum()[machine.Memory]), cost.Bytes(best.traffic.Sum()[machine.Memory]))
	case ratio < 1/margin && j.cost.seconds() < best.cost.seconds():
		why = "the gain is within what the model can tell"
	case visits > 1.1*best.visits(s.M):
		why = fmt.Sprintf("it visits C %.1f times a row", visits)
	case !j.least && j.cost.waiting() > 1.1*best.cost.waiting() && j.cost.waiting()-best.cost.waiting() > j.cost.work()-best.cost.work():
		why = fmt.Sprintf("it waits longer for caches: %.1f us instead of %.1f", 1e6*j.cost.waiting(), 1e6*best.cost.waiting())
	case j.cost.work() > best.cost.work():
		why = "its kernel does more for an entry"
	default:
		why = "rows end where the core does not expect it, and calls cost more"
	}
	return fmt.Sprintf("%s%.2f x %s: %s", atLeast, ratio, best.name, why)
}

// reason says why all[best] is the choice.
func (a *Advice) reason(all []judged, best int, s runs.Set, size int) string {
	b, rows := all[best], all[0]
	on := a.Machine
	width := a.Features * size
	if s.NNZ == 0 {
		return "csr: there are no entries"
	}
	if best != 0 {
		x, y := rows.traffic.Sum(), b.traffic.Sum()
		text := fmt.Sprintf("%s: %.2f x as fast as csr", b.name, rows.cost.seconds()/b.cost.seconds())
		switch {
		case y[machine.Memory] < x[machine.Memory]*9/10:
			text += fmt.Sprintf(", since it moves %s instead of %s to and from memory", cost.Bytes(y[machine.Memory]), cost.Bytes(x[machine.Memory]))
			if n := len(b.parts); n > 1 {
				text += fmt.Sprintf(": %s of B, which the %d entries of a row reach all over, against %s for a part", cost.Bytes(int64(s.N)*int64(width)), s.NNZ/max(1, s.M), cost.Bytes(int64(s.N)*int64(width)/int64(n)))
			}
		case b.cost.work() < rows.cost.work()*.9:
			text += ", since its kernel does less for an entry"
		case y[machine.L2]+y[machine.L3] < (x[machine.L2]+x[machine.L3])*9/10:
			text += fmt.Sprintf(", since it moves %s instead of %s to and from L2 and L3", cost.Bytes(y[machine.L2]+y[machine.L3]), cost.Bytes(x[machine.L2]+x[machine.L3]))
		case b.cost.waiting() < rows.cost.waiting():
			text += fmt.Sprintf(", since it waits %.1f us for caches instead of %.1f", 1e6*b.cost.waiting(), 1e6*rows.cost.waiting())
		}
		if gain := rows.cost.seconds() - b.cost.seconds(); gain > 0 {
			convert := on.converts(b.slots() + int64(s.NNZ))
			text += fmt.Sprintf("; conversion pays after %.0f products", convert/gain+.5)
		}
		return text
	}
	text := "csr: nothing is padded, a row of C is stored once, and "
	n, total := rows.traffic.B, rows.traffic.B.total()
	switch {
	case n[machine.Memory]*20 < total && n[machine.L3]*20 < total:
		text += "B comes from L1 and L2"
	case n[machine.Memory]*20 < total:
		text += fmt.Sprintf("B (%s) stays in L3", cost.Bytes(int64(s.N)*int64(width)))
	default:
		text += fmt.Sprintf("%s of B (%s) come from memory", percent(float64(n[machine.Memory])/float64(total)), cost.Bytes(int64(s.N)*int64(width)))
	}
	for _, j := range all[1:] {
		if strings.HasPrefix(j.name, "columns") && !j.least {
			saved := "and save nothing"
			if d := rows.traffic.Sum()[machine.Memory] - j.traffic.Sum()[machine.Memory]; d > 0 {
				saved = "to save " + cost.Bytes(d)
			}
			text += fmt.Sprintf("; slabs of columns would visit C %.1f times a row %s", j.visits(s.M), saved)
			break
		}
	}
	return text
}

// String is the balance in a sentence.
func (b Balance) String() string {
	return fmt.Sprintf("by %s: the longest of %d shares is %.2f x the mean by rows, %.2f by entries, %.2f by merge path; the longest row has %d entries, %s of the rows have none",
		b.By, b.Threads, b.Rows, b.Entries, b.Merge, b.Longest, percent(b.Empty))
}

// String is a table of the candidates and the choice with its reason.
func (a Advice) String() string {
	var t strings.Builder
	fmt.Fprintf(&t, "%d x %d with %d entries, %d features, on %v\n", a.Rows, a.Cols, a.NNZ, a.Features, a.Machine)
	const heads = "format\tpadding\tbytes\tconvert\tpredicted\tbound\twhy not"
	cost.Rows(&t, heads, a.Candidates, func(c Candidate) bool { return c.Why == "" }, func(c Candidate) (cells, why string) {
		least := ""
		if c.Least {
			least = ">"
		}
		return fmt.Sprintf("%s\t%s\t%s\t%.1f\t%s%.1f us\t%s", c.Name, percent(c.Padding), cost.Bytes(c.Bytes), c.Convert, least, 1e6*c.Seconds, c.Bound), c.Why
	})
	fmt.Fprintf(&t, "choice: %s\nbalance: %v\n", a.Reason, a.Balance)
	return t.String()
}
