package cost

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Rows prints a table of any candidates: a line of heads, and for each its cells, with tabs between
// them, and a remark. The remark on the chosen one is that it is.
func Rows[E any](w io.Writer, heads string, list []E, chosen func(E) bool, row func(E) (cells, remark string)) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, heads)
	for _, x := range list {
		cells, remark := row(x)
		if chosen(x) {
			remark = "<- the choice"
		}
		fmt.Fprintf(t, "%s\t%s\n", cells, remark)
	}
	return t.Flush()
}

// Table prints candidates by Rows.
func Table[P any](w io.Writer, list []Candidate[P], chosen int) error {
	at := -1
	return Rows(w, "way\tflops\tbytes moved\tmessages\tbytes sent\tbytes held\ttime\tnote", list, func(Candidate[P]) bool {
		at++
		return at == chosen
	}, func(c Candidate[P]) (cells, remark string) {
		moved := 0.0
		for _, b := range c.Work.Bytes {
			moved += b
		}
		return fmt.Sprintf("%s\t%.4g\t%.4g\t%.4g\t%.4g\t%d\t%s\t%s", c.Name, c.Work.Flops, moved, c.Work.Messages, c.Work.Sent, c.Holds, Seconds(c.Seconds), c.Note), ""
	})
}

// Seconds returns a time for people.
func Seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g s", s)
}

// Bytes returns a number of bytes for people: "512 B", "83.4 MiB".
func Bytes[N int | int64](n N) string {
	x, unit := float64(n), ""
	for _, u := range []string{"KiB", "MiB", "GiB"} {
		if x < 1<<10 {
			break
		}
		x, unit = x/(1<<10), u
	}
	switch {
	case unit == "":
		return fmt.Sprintf("%d B", n)
	case x >= 999.5: // three digits would have an exponent
		return fmt.Sprintf("%.0f %s", x, unit)
	}
	return fmt.Sprintf("%.3g %s", x, unit)
}
