package mtx

import (
	"fmt"
	"math"
)

// Options holds what a reader may spend, and how it answers. The zero value is for
// files of unknown origin. A limit that is zero stands for the default it names, and one below
// zero is an error.
type Options struct {
	Name string // of the file, for errors

	// Expand expands symmetric, skew-symmetric and hermitian files: a reader visits (j, i)
	// right after each (i, j) off the diagonal, with its value by symmetry. There are then
	// up to twice Header.Entries visits.
	Expand bool

	// Lenient reads what SciPy reads although the standard does not have it. Values after the
	// coordinates of a pattern are left out. The diagonal of a skew-symmetric matrix may have
	// numbers other than 0, and that of a hermitian one an imaginary part. A pattern may be
	// skew-symmetric, with mirrored entries of -1, and a hermitian matrix need not be complex.
	// Integers that float64 does not hold are rounded to the nearest that it does. Without it they
	// are errors.
	Lenient bool

	// MaxDim bounds rows and columns. A matrix takes memory for its rows, 4 bytes each in
	// package sparse, even for those without entries. So the default for Matrix Market
	// depends on the file: 1<<22, or 4 times its entries where that is more, up to 1<<27.
	// For the other formats, whose sizes are in the text or cost nothing, the limit is
	// 1<<27. A matrix of many more rows than entries needs MaxDim set.
	MaxDim     int
	MaxEntries int   // entries that the file stores; default 1<<31 - 1
	MaxLine    int   // bytes of a line; default 1<<20 (the standard allows 1024)
	MaxBytes   int64 // bytes of text, after decompression, or of all arrays of an NPZ; default no limit
	MaxRatio   int   // bytes of text from a byte of a packed file; default 200; a text of 1 MiB is free, from however little
}

// The default of MaxDim: what is free, what an entry allows, and the most.
const (
	freeDim     = 1 << 22
	dimPerEntry = 4
	maxDim      = 1 << 27
)

// mostDim is that default for so many entries.
func mostDim(entries int) int { return max(freeDim, dimPerEntry*min(entries, maxDim/dimPerEntry)) }

// A size is a number that a file states, and the option that bounds it.
type size struct {
	p      *int
	what   string
	most   int
	option string
}

// sizes are those of every matrix, in the order in which files have them.
func (o Options) sizes(rows, cols, entries *int) []size {
	return []size{{rows, "rows", o.MaxDim, "MaxDim"}, {cols, "columns", o.MaxDim, "MaxDim"}, {entries, "entries", o.MaxEntries, "MaxEntries"}}
}

// beyond says that a number is more than the option allows.
func (s size) beyond(number string) string {
	return fmt.Sprintf("%s %s are more than Options.%s, %d", number, s.what, s.option, s.most)
}

// check refuses limits below 0. They may be what is left of a budget, and do not stand for
// the default.
func (o Options) check() error {
	for _, l := range []struct {
		name  string
		value int64
	}{{"MaxDim", int64(o.MaxDim)}, {"MaxEntries", int64(o.MaxEntries)}, {"MaxLine", int64(o.MaxLine)}, {"MaxBytes", o.MaxBytes}, {"MaxRatio", int64(o.MaxRatio)}} {
		if l.value < 0 {
			return fmt.Errorf("Options.%s is %d; want 1 or more, or 0 for the default", l.name, l.value)
		}
	}
	return nil
}

// withDefaults returns o with its zero limits filled in.
func (o Options) withDefaults() Options {
	def := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	def(&o.MaxDim, maxDim)
	def(&o.MaxEntries, math.MaxInt32)
	def(&o.MaxLine, 1<<20)
	def(&o.MaxRatio, 200)
	if o.MaxBytes == 0 {
		o.MaxBytes = math.MaxInt64
	}
	return o
}
