package sweep

import (
	"encoding/csv"
	"io"
	"strconv"
)

// CSV is a [Sink] that writes a line of names. Then it writes a line for each kernel and
// each peer at a point, or for each verdict. Numbers are in full, in the units that names
// end with; what does not apply is empty.
type CSV struct {
	W io.Writer

	head bool
}

func (c *CSV) write(head, row []string) error {
	w := csv.NewWriter(c.W)
	if !c.head {
		w.Write(head)
		c.head = true
	}
	w.Write(row)
	w.Flush()
	return w.Error()
}

// Machine writes nothing: every line would have to repeat it.
func (*CSV) Machine(*Machine) error { return nil }

var resultNames = []string{"package", "kernel", "types", "lib", "isa", "op", "matrix", "m", "n", "k", "entries", "threads",
	"seconds", "gflops", "ceiling_gflops", "share_of_ceiling", "spread", "bytes", "flop_per_byte", "bound_gflops", "bound_by", "predicted_gflops", "times_lib", "mismatch", "skipped"}

// Result writes a line, and one for each peer. Its times_lib is our speed over the peer's.
func (c *CSV) Result(r *Result) error {
	of := func(lib, isa string) []string {
		return []string{r.Package, r.Kernel, r.Types, lib, isa, r.Op, r.Matrix, strconv.Itoa(r.M), strconv.Itoa(r.N), strconv.Itoa(r.K), strconv.Itoa(r.Entries), strconv.Itoa(r.Threads)}
	}
	row := of(Ours, r.ISA)
	for _, x := range []float64{r.Seconds, r.GFLOPS, r.Ceiling, r.Share, r.Spread, r.Bytes, r.Intensity, r.Bound} {
		row = append(row, full(x))
	}
	if err := c.write(resultNames, append(row, r.Binding, full(r.Predicted), "", line(r.Mismatch), line(r.Skipped))); err != nil {
		return err
	}
	for _, p := range r.Peers {
		row := append(of(p.Name, p.runs()), full(p.Seconds), full(p.GFLOPS), "", "", "", "", "", "", "", "", full(p.Ratio), line(p.Error), "")
		if err := c.write(resultNames, row); err != nil {
			return err
		}
	}
	return nil
}

var verdictNames = []string{"package", "kernel", "types", "isa", "verdict", "points", "seconds", "why"}

// Verdict writes a line.
func (c *CSV) Verdict(v *Verdict) error {
	verdict, why := "ok", v.Skipped
	switch {
	case v.Skipped != "":
		verdict = "skip"
	case !v.Good():
		verdict, why = "WRONG", line(v.Failures[0])
	}
	return c.write(verdictNames, []string{v.Package, v.Kernel, v.Types, v.ISA, verdict, strconv.Itoa(v.Points), full(v.Seconds), why})
}

// full is a number with all digits, nothing for 0, which stands for none.
func full(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
