package lower

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// An operation is what there is of one operation of package spec alone: its operands, its call, its text, its oracle and
// its kernels. In texts {n}, {f} and {h} are its features, or that letter for a number that only a call knows; {T} and {B}
// are the element types of sums and of a dense operand as Go writes them, {t} is that of sums as our names end, {S} is the type of
// the sparse matrix, {v} begins the names of variables, and {dense} is the stock set of dense kernels.
type operation struct {
	// The result is called out; it is a matrix, unless operands are vectors, or it has an element for each entry. style
	// is how an epilogue takes its operands.
	out             string
	factors         []factor
	vector, entries bool
	style           gemm.Style
	options         string // their type; "" for run.Options

	// run is the type of the run time, args are the operands of its methods, result is the one of
	// Multiply, and epilogue begins that of Fuse, for a result of a shape: stored, or else of operands.
	run, args, result          string
	epilogue, stored, unstored string
	// variants is the field that holds kernels, which are of this spec, or others of packages below cpu/kern, which
	// others names.
	variants, kernels, set, dense, others string

	// value is what an element of the result is, pattern the same without the values of the sparse matrix, if that is
	// another, and where says of what shapes; unseen where no result is stored. cols is how many columns an epilogue
	// sees. rows has the words for what is summed.
	value, pattern, where, unseen, cols string
	rows                                words

	// oracle is the type of package check that describes the operation; there are vectors of lanes in it, a benchmark,
	// segments, or a test of alpha and beta.
	oracle                         string
	lanes, timed, segments, scaled bool

	column bool // a product with one column has a kernel of its own
	// What follows differs from what is usual, if it is not nil: what specs are refused, how many vectors kernels
	// hold, the kernels, the functions that a user calls, what they compute, and what operands of the epilogue are.
	refuse   func(p *Product) error
	widest   func(t emit.Target) int
	lower    func(p *Product, m *Module, most int) error
	entry    func(s *draft) []unit.Decl
	formula  func(s *draft) string
	operands func(s *draft) string
}

// A factor is an operand of an operation: its name, its type, and where package check has it.
type factor struct{ name, typ, slot string }

// words say what is summed: a row of entries, each of which gives a term; and when there is none.
type words struct{ row, entries, term, empty string }

var entriesOfRows = words{"row", "entries", "product", "in an empty row"}

const matrixType = "layout.Matrix[{T}]"

// operationOf is the operation of a spec, nil if there is none.
func operationOf(d spec.Description) *operation {
	if d.Attention.GradientsOf != "" {
		return attentionBack
	}
	return operations[d.Operation]
}

// operations are those of package spec; declare adds one.
var operations = map[spec.Operation]*operation{}

func declare(of spec.Operation, o *operation) *operation {
	operations[of] = o
	return o
}

// denseSets return the kernels that multiply the rows which relations gather.
var denseSets = map[dtype.Type]string{dtype.F32: "gemmf.SGEMMSet", dtype.F64: "gemmf.DGEMMSet"}

// fill is a text of an operation.
func (s *draft) fill(text string) string {
	matrix := "sparse.Matrix"
	switch {
	case s.packed():
		matrix = "format.Packed"
	case s.sum():
		matrix = "rule.Sum"
	}
	t := s.T.Go()
	return strings.NewReplacer("{n}", s.features("n"), "{f}", s.features("f"), "{h}", s.features("h"), "{S}", matrix+"["+t+"]",
		"{T}", t, "{B}", s.B.Go(), "{t}", strings.ToUpper(s.T.String()), "{v}", s.V, "{dense}", denseSets[s.T]).Replace(text)
}

// matrices reports whether results are matrices, and not vectors or lists.
func (p *Product) matrices() bool { return !p.op.vector && !p.op.entries }
