package emu

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Counts say what instructions did. Next to wavefronts and sectors stands the least
// that the same bytes could have taken.
type Counts struct {
	Instructions int64 `json:"instructions"` // of warps
	// SharedWavefronts are the turns that the 32 banks of 4 bytes took.
	SharedWavefronts int64 `json:"shared_wavefronts"`
	SharedIdeal      int64 `json:"shared_wavefronts_least"`
	// GlobalSectors are the pieces of 32 bytes that warps asked for.
	GlobalSectors int64 `json:"global_sectors"`
	GlobalIdeal   int64 `json:"global_sectors_least"`
	Flops         int64 `json:"matrix_flops"` // of matrix instructions
	Barriers      int64 `json:"barriers"`     // arrivals of warps at barriers
}

type lineCount = Counts

func (c *Counts) add(o *Counts) {
	c.Instructions += o.Instructions
	c.SharedWavefronts += o.SharedWavefronts
	c.SharedIdeal += o.SharedIdeal
	c.GlobalSectors += o.GlobalSectors
	c.GlobalIdeal += o.GlobalIdeal
	c.Flops += o.Flops
	c.Barriers += o.Barriers
}

// A Line is what one line of PTX did.
type Line struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Counts
}

// A KernelReport is what the launches of a kernel did.
type KernelReport struct {
	Name     string
	Launches int
	Counts
	Lines []Line // with instructions that were executed, ascending
}

// A Report is what all launches of a device did.
type Report struct {
	Kernels []KernelReport // by name
}

// count adds a launch to the report of d.
func (d *Device) count(l *launch, counts []lineCount) {
	d.reportMu.Lock()
	defer d.reportMu.Unlock()
	r := d.reports[l.prog]
	if r == nil {
		r = &kernelCounts{counts: make([]lineCount, len(counts))}
		d.reports[l.prog] = r
	}
	r.launches++
	for i := range counts {
		r.counts[i].add(&counts[i])
	}
}

type kernelCounts struct {
	launches int
	counts   []lineCount
}

// Report returns what the launches since Open or the last ResetReport did.
func (d *Device) Report() Report {
	d.reportMu.Lock()
	defer d.reportMu.Unlock()
	var rep Report
	for p, k := range d.reports {
		r := KernelReport{Name: p.name, Launches: k.launches}
		lines := map[int]*Line{}
		for i := range k.counts {
			n := &k.counts[i]
			if n.Instructions == 0 {
				continue
			}
			r.Counts.add(n)
			at := p.code[i].line
			if lines[at] == nil {
				lines[at] = &Line{Line: at, Text: p.lineText(at)}
			}
			lines[at].Counts.add(n)
		}
		for _, l := range lines {
			r.Lines = append(r.Lines, *l)
		}
		slices.SortFunc(r.Lines, func(a, b Line) int { return a.Line - b.Line })
		rep.Kernels = append(rep.Kernels, r)
	}
	slices.SortFunc(rep.Kernels, func(a, b KernelReport) int { return strings.Compare(a.Name, b.Name) })
	return rep
}

// ResetReport forgets what was counted.
func (d *Device) ResetReport() {
	d.reportMu.Lock()
	defer d.reportMu.Unlock()
	clear(d.reports)
}

// Write writes r as a table: a line for every kernel, and one for every PTX line
// that did more work on memory than it had to.
func (r Report) Write(w io.Writer) error {
	for _, k := range r.Kernels {
		_, err := fmt.Fprintf(w, "%s: %d launches, %d instructions, %d/%d wavefronts, %d/%d sectors, %d flops, %d at barriers\n", k.Name,
			k.Launches, k.Instructions, k.SharedWavefronts, k.SharedIdeal, k.GlobalSectors, k.GlobalIdeal, k.Flops, k.Barriers)
		if err != nil {
			return err
		}
		for _, l := range k.Lines {
			if l.SharedWavefronts == l.SharedIdeal && l.GlobalSectors == l.GlobalIdeal {
				continue
			}
			if _, err := fmt.Fprintf(w, "  line %d: %d/%d wavefronts, %d/%d sectors: %s\n", l.Line,
				l.SharedWavefronts, l.SharedIdeal, l.GlobalSectors, l.GlobalIdeal, l.Text); err != nil {
				return err
			}
		}
	}
	return nil
}
