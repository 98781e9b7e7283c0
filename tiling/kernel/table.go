package kernel

import (
	"cmp"
	"slices"
)

// Func is a kernel: an assembly stub with its argument block, or what stands in for it in Go.
type Func[Block any] func(args *Block)

// Table lists kernels of one instruction set. K is a function at run time, and a string, its
// name, where kernels are lowered and printed. A table is a literal that names functions, and
// nothing else knows them, so the linker drops those of tables that no call can reach.
//
// Entries of a form lie side by side, in the order of forms, and those for operations of their own come last. Of tables for tiles the Panel form comes first, and then the Tail
// form. Each has an entry for every height and width, or for every Heights of heights, so that
// [Table.Tile] finds one by arithmetic.
type Table[K any] struct {
	ISA string `kernel:"text"` // "" if the table is a part of one that says
	// MR and NV are the rows and vectors of the largest tile of the Panel form, and VL is the elements of a vector.
	MR, NV, VL int
	// Parts is how many numbers an element of A, B and C is, 0 for one. It is 2 for pairs, such as
	// real and imaginary part, which Args.Pair says how to multiply.
	Parts int
	// Depth is how many k a step takes, 0 for one. If it is more, K counts steps. An
	// element of A, and of a packed panel of B, is then a word of 32 bits with the Depth
	// elements of a step. The first is lowest, and those beyond the end are zero.
	Depth int
	// Head is how many rows of a panel of B stand in front of its words. If it is one, the
	// row has the start values of the sums. Alpha's low half is XORed with each word of A,
	// by kernels that do so: see [Kernels].
	Head int
	// AtOnce is how many words of a row of A are read at once, which have to lie side by
	// side; 0 for one. K is a multiple of it: words beyond the end, of A and of B, are zeros.
	AtOnce int
	// Heights is how many heights a kernel of the Panel and the Tail form serves: the first
	// kernel serves tiles of 1 to as many rows, and so on. Args.Rows says how many a call
	// has. 0: each height has its own.
	Heights int
	// First is the number of Entries[0] in generated code that calls kernels by their
	// numbers.
	First   int
	Entries []Entry[K]
}

// An Entry is a kernel: what it does, if its form does not say, how it reads its operands, and its
// rows and columns. NV counts columns of the Dot form, else vectors. One that is never called has no F.
type Entry[K any] struct {
	Op     string `kernel:"text"`
	Form   Form
	MR, NV int
	F      K
}

// Form is how a kernel reads its operands.
type Form uint8

// The forms. The tables of [Kernels] say what their kernels do of each.
const (
	Panel   Form = iota // a panel of B that is packed, or might be: NV whole vectors a row
	Tail                // the same with N lanes in the last vector
	Half                // one vector of half the lanes, N of them
	Columns             // one vector of columns that are contiguous along k, LdB apart; K is a multiple of VL
	Axpy                // rows of B as they lie, each times an element of A; MR from 1 up
	Dot                 // A and B contiguous along k: an element of C is a vector of parts of a sum
	Join                // the lanes of such vectors become elements; one kernel
	Copy                // rows as they lie, to rows
	Solve               // a panel of B, whose rows the results replace
	Zip                 // a packed panel of B, as micro-kernels that multiply two rows by two columns want it
	ZipRows             // a copy of rows of A, as they want that; one kernel
	// The rest are of a sparse operand. What ends in Tail has N lanes in the last vector, and follows the form with whole vectors.
	Fetch     // rows of B that it fetches early, by Ahead
	FetchTail // the same
	More      // as Fetch, going on with the sums that C holds
	MoreTail  // the same
	Weigh     // as Join, times Values
)

func (f Form) String() string {
	return [...]string{"Panel", "Tail", "Half", "Columns", "Axpy", "Dot", "Join", "Copy", "Solve", "Zip", "ZipRows", "Fetch", "FetchTail", "More", "MoreTail", "Weigh"}[f]
}

// Kernels is one ISA's set of kernels for one spec with dense operands, as generated code lists them. The
// tables may be another package's; the epilogue is the spec's.
type Kernels struct {
	ISA string
	// Table has the micro-kernels. The Panel form has one for each height, or the last of as many as Heights
	// says; the Tail form has as many. The Half form has one for each height, or none. The Columns form
	// has those for MR-1 and MR rows, or none. The Axpy, the Dot and the Join form come last, and are missing if
	// the operator cannot join partial sums. The Zip form, of kernels that want it, has one for each number of
	// vectors. Of K pairs of rows of words at C, LdC apart, it replaces each by the words of the first half of a
	// vector in turn, of one and of the other, and those of the second half. The ZipRows form does so with K pairs
	// of rows of A, which are those of a tile, by two words, in N times four words of a row.
	*Table[Func[Args]]
	// Pack copies operands into what micro-kernels read. Entry nv-1 of the Panel form copies K rows of nv
	// vectors, LdB apart at B, to rows LdC apart at C. The last vector has N valid columns and is filled up
	// with zeros. The Columns form transposes N <= VL columns of B, contiguous along k, LdB apart, into K rows of
	// one vector each, LdC apart at C. Columns beyond N are arbitrary copies of valid ones. It is entry NV.
	//
	// If a step takes several k, K counts steps and the kernels make words. The Panel form reads Depth rows,
	// LdB apart, for each row of words; the last vector of its last kernel has N words. The Columns form reads
	// whole words that are contiguous along k. The Copy form copies rows of A that are contiguous along k, N
	// words in the last vector. The Panel form makes A's words from its columns.
	Pack *Table[Func[Args]]
	// PackA is Pack for A if its elements need other kernels than B's. nil: the same.
	PackA *Table[Func[Args]]
	// Widening are kernels of the Panel form, with N lanes in the last vector, for a packed B whose
	// elements are as in memory. They convert elements to those of the sums as they load them. There are
	// none for panels of fewer than NV-1 vectors. They store a result as by ModeStore, or as by
	// ModeUpdate with an alpha and a beta of 1. nil: B's elements are widened as B is packed.
	Widening *Table[Func[Args]]
	// Triangles are those for triangles of A, in products of one type without an epilogue; else nil. They
	// compute one tile of MR rows on the diagonal of a triangle. First they multiply rows of K elements of A
	// by the first K rows of B, as in other tiles. Then follows a triangle of MR columns. Rows of C are whole
	// vectors.
	//
	// The Panel form goes on with B's next MR rows and stores to C, which may be those rows, without a
	// factor. The Solve form replaces C's rows by results, from the first on. It subtracts the sums so far
	// and multiplies by A's diagonal, which holds reciprocals. It also stores them at Fetch, LdF apart, which
	// may be C. Elements of A above the diagonal are not read. For pairs, Args.Pair is what SetTriangle makes
	// of it.
	Triangles *Table[Func[Args]]
	// Flip is what micro-kernels with start values XOR with each word of A. Its bits turn
	// signed numbers into unsigned ones, or the reverse. With FlipCopy the kernels do not:
	// they take a copy of A of which that is done.
	Flip     uint32
	FlipCopy bool
	// Epi turns sums into outputs; nil if the kernel ends in alpha and beta.
	Epi      Func[EpiArgs]
	EpiLanes int // of its vectors
}

// Sorted reports whether entries lie as the methods of a table take them to: by form, operations last.
func (k *Table[K]) Sorted() bool {
	return slices.IsSortedFunc(k.Entries, func(a, b Entry[K]) int {
		switch {
		case a.Op != "" && b.Op != "":
			return 0
		case a.Op != b.Op:
			return len(a.Op) - len(b.Op)
		}
		return cmp.Compare(a.Form, b.Form)
	})
}

// Add adds an entry.
func (k *Table[K]) Add(form Form, mr, nv int, f K) {
	k.Entries = append(k.Entries, Entry[K]{Form: form, MR: mr, NV: nv, F: f})
}

// AddOp is Add of an operation.
func (k *Table[K]) AddOp(op string, mr, nv int, f K) {
	k.Entries = append(k.Entries, Entry[K]{Op: op, MR: mr, NV: nv, F: f})
}

// Sort puts entries of a form side by side, operations last. Others stay in their order.
func (k *Table[K]) Sort() {
	slices.SortStableFunc(k.Entries, func(a, b Entry[K]) int {
		return cmp.Or(min(len(a.Op), 1)-min(len(b.Op), 1), cmp.Compare(a.Form, b.Form))
	})
}

// Paired reports whether elements are pairs of numbers.
func (k *Table[K]) Paired() bool { return k.Parts > 1 }

// Tile returns the kernel for mr rows and nv vectors of the Panel or the Tail form.
func (k *Table[K]) Tile(f Form, mr, nv int) K {
	if k.Heights > 1 {
		return k.Entries[(int(f)*((k.MR+k.Heights-1)/k.Heights)+(mr-1)/k.Heights)*k.NV+nv-1].F
	}
	return k.Entries[(int(f)*k.MR+mr-1)*k.NV+nv-1].F
}

// Steps rounds what is left of k up to what kernels take at once.
func (k *Table[K]) Steps(left int) int {
	steps := left
	if k.Depth > 1 {
		steps = (left + k.Depth - 1) / k.Depth
	}
	if k.AtOnce > 1 {
		steps = (steps + k.AtOnce - 1) / k.AtOnce * k.AtOnce
	}
	return steps
}

// HasHalf reports whether there are kernels of the Half form.
func (k *Table[K]) HasHalf() bool {
	first := 2 * k.MR * k.NV
	return first < len(k.Entries) && k.Entries[first].Form == Half
}

// HasColumns reports whether there are kernels of the Columns form, which follow those of
// the Half form.
func (k *Table[K]) HasColumns() bool {
	first := (2*k.NV + 1) * k.MR
	return first < len(k.Entries) && k.Entries[first].Form == Columns
}

// Of lists the entries of a form that are for no operation of their own, which [Table.Sort] puts in front.
func (k *Table[K]) Of(f Form) []Entry[K] {
	return k.Entries[k.begin(f):k.begin(f+1)]
}

// begin returns where entries of a form begin, or would.
func (k *Table[K]) begin(f Form) int {
	lo, hi := 0, len(k.Entries)
	for lo < hi {
		if i := (lo + hi) / 2; k.Entries[i].Op == "" && k.Entries[i].Form < f {
			lo = i + 1
		} else {
			hi = i
		}
	}
	return lo
}

// Both lists the entries of a form with whole vectors, and of the one behind it with N lanes in the last: of Panel, Fetch or
// More. Entry nv-1 of either is for nv vectors.
func (k *Table[K]) Both(f Form) (full, tail []Entry[K]) {
	if n := k.NV; f == Panel && k.MR == 1 && len(k.Entries) >= 2*n { // as Tile finds them
		return k.Entries[:n], k.Entries[n : 2*n]
	}
	from, middle, to := k.begin(f), k.begin(f+1), k.begin(f+2)
	return k.Entries[from:middle], k.Entries[middle:to]
}

// One returns the first kernel of a form, none if there is none.
func (k *Table[K]) One(f Form) (none K) {
	if i := k.begin(f); i < len(k.Entries) && k.Entries[i].is(f) {
		return k.Entries[i].F
	}
	return none
}

// Loops lists the entries of the Panel and of the Tail form for the operation of Entries[at], its first one, and says where
// the next operation begins. Tables of loops have for each operation as many of either form, side by side.
func (k *Table[K]) Loops(at int) (full, tail []Entry[K], next int) {
	tails := at
	for tails < len(k.Entries) && k.Entries[tails].Form == Panel {
		tails++
	}
	next = tails + tails - at
	return k.Entries[at:tails], k.Entries[tails:next], next
}

// Op returns the entry for an operation, or the zero one if there is none.
func (k *Table[K]) Op(op string) (none Entry[K]) {
	for i := range k.Entries {
		if k.Entries[i].Op == op {
			return k.Entries[i]
		}
	}
	return none
}

// Joins reports whether there are kernels for products with few rows or columns.
func (k *Table[K]) Joins() bool {
	return len(k.Entries) > 0 && k.Entries[len(k.Entries)-1].Form == Join
}

// Dots returns the kernels of the Dot form for a small side of s. One has the most of the
// long side, the other a single row or column of it. The small side is the tile's columns
// if columns is set, else its rows.
func (k *Table[K]) Dots(s int, columns bool) (long, one *Entry[K]) {
	most := 0
	dots := k.Of(Dot)
	for i := range dots {
		d := &dots[i]
		small, other := d.MR, d.NV
		if columns {
			small, other = other, small
		}
		if small != s {
			continue
		}
		if other == 1 {
			one = d
		}
		if other > most {
			long, most = d, other
		}
	}
	return long, one
}

// is reports whether the entry is of a form, for no operation of its own.
func (e *Entry[K]) is(f Form) bool { return e.Form == f && e.Op == "" }

// Other is the other side of a Dot kernel's tile, whose small side is s.
func (e *Entry[K]) Other(s int) int { return e.MR * e.NV / s }

// DotMost is the largest small side that kernels of the Dot form are made for.
func (k *Table[K]) DotMost() int {
	for s := 1; ; s++ {
		if long, _ := k.Dots(s, true); long == nil || s > 1 && long.MR == 1 {
			return s - 1
		}
	}
}
