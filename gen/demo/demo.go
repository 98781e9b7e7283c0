// Package demo is the program that `tilesmith demo` builds around a generated package.
// It verifies every variant of two products, times them against measured ceilings and
// gonum, and prints a roofline.
//
// Start with [Main].
package demo

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Product is one generated product.
type Product[T dtype.Float] struct {
	Name   string
	MR, NR int // the largest tile of all variants
	Gemm   func(opt run.Options, out, a, b layout.Matrix[T])
}

// settings are what the command line decides.
type settings struct {
	isas  []string
	sizes []int
	each  time.Duration // to time one thing
}

// Main verifies and times the products and exits: 0 if all is right, 1 if a
// variant is wrong, 2 if the command line is.
func Main(single Product[float32], double Product[float64]) {
	os.Exit(start(os.Args[1:], os.Stdout, os.Stderr, single, double))
}

func start(args []string, out, log io.Writer, single Product[float32], double Product[float64]) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(log)
	isa := flags.String("isa", "", "one variant only")
	quick := flags.Bool("quick", false, "the best variant and smaller products only")
	if flags.Parse(args) != nil {
		return 2
	}
	// Products of float32 and float64 have kernels for plain instruction sets only: avx512bf16 would show avx512 again.
	s := settings{isas: run.PlainISAs(), sizes: []int{64, 256, 1024}, each: 100 * time.Millisecond}
	if *quick {
		s = settings{isas: s.isas[:1], sizes: s.sizes[:2], each: 60 * time.Millisecond}
	}
	if *isa != "" {
		if !slices.Contains(run.ISAs(), *isa) {
			fmt.Fprintf(log, "tilesmith: --isa %q: this machine has %s\n", *isa, strings.Join(run.ISAs(), ", "))
			return 2
		}
		s.isas = []string{*isa}
	}
	machine(out)
	checks := slices.Concat(verify(s, single), verify(s, double))
	if !report(out, log, runAll(checks)) {
		return 1
	}
	// From here on one core only, so that gonum, too, runs on one.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := measureMachine(s)
	fmt.Fprintf(log, "         verified; timing %d sizes of each variant\n", len(s.sizes))
	rows := slices.Concat(measure(s, m, single), measure(s, m, double))
	printSpeed(out, rows)
	printMemory(out, m)
	printRoofline(out, s, m, rows)
	return 0
}

// table prints rows of cells under a title, aligned, numbers to the right.
func table(out io.Writer, title string, rows [][]string) {
	fmt.Fprintf(out, "%s\n\n", title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range rows {
		fmt.Fprintf(w, "\t%s\t\n", strings.Join(r, "\t"))
	}
	w.Flush()
	fmt.Fprintln(out)
}
