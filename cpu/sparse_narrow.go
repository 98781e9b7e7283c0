package cpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/kern/narrowf32"
	"github.com/tilesmith/tilesmith/cpu/kern/spmmf32"
	"github.com/tilesmith/tilesmith/cpu/kern/spmmf64"
	"github.com/tilesmith/tilesmith/cpu/kern/spmmnarrow"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/rows"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Stored is what [SpMMOf] takes: what [SpMM] does, and matrices that store values of bfloat16 or half precision.
type Stored[T dtype.Float] interface {
	Sparse[T] | sparse.Narrow[dtype.BF16] | sparse.Narrow[dtype.F16]
}

// SpMMOf computes out = a*b for a dense b and out of other types than the sums. a is a sparse matrix
// of the type Acc of the sums, or a [sparse.Narrow], whose values are converted to Acc. You write
// only Acc:
//
//	cpu.SpMMOf[float32](out, a, b) // b of bfloat16, say: features that take half the memory
//
//	sums of   b                                               results
//	float32   float32, dtype.F16, dtype.BF16, integers        float32, dtype.F16, dtype.BF16
//	float64   those and float64                               float32, float64, dtype.F16, dtype.BF16
//
// where integers are int8, uint8 and int16. Elements of b are converted to Acc, which changes no
// number, and finished sums are rounded once to Out. With float32 sums and an a in compressed rows, a
// pattern, a band or a sparse.Narrow, a b of dtype.F16 or dtype.BF16 is read in place. For any other
// format or type, b is copied as Acc first. Sums that are rounded also take a copy.
//
// Shapes and errors are those of [SpMM]. SpMMOf panics with a [run.TypeError] if the table
// has no such product.
func SpMMOf[Acc dtype.Float, A Stored[Acc], B, Out dtype.Elem](out layout.Matrix[Out], a A, b layout.Matrix[B]) {
	SpMMOfOpt[Acc](Options{Caller: "cpu.SpMMOf"}, out, a, b)
}

// SpMMOfOpt is SpMMOf with options, as [SpMMOpt]; factors are for results of type Acc.
func SpMMOfOpt[Acc dtype.Float, A Stored[Acc], B, Out dtype.Elem](opt Options, out layout.Matrix[Out], a A, b layout.Matrix[B]) {
	opt.Caller = opt.Name("cpu.SpMMOfOpt")
	if !widens[Acc, B]() || !rounds[Acc, Out]() {
		panic(run.TypeError{What: opt.Caller, Why: fmt.Sprintf("no product has sums of %v, a dense operand of %v and results of %v; see the table of cpu.SpMMOf",
			dtype.Of[Acc](), dtype.Of[B](), dtype.Of[Out]())})
	}
	if out, ok := any(out).(layout.Matrix[Acc]); ok {
		spmmOf[Acc](opt, out, a, b)
		return
	}
	m, _ := dims[Acc](a)
	if err := out.CheckOut("out"); err != nil || out.Rows != m || out.Cols != b.Cols {
		why := fmt.Sprintf("out is %d x %d, a has %d rows, b is %d x %d; want m x n, m x k, k x n", out.Rows, out.Cols, m, b.Rows, b.Cols)
		if err != nil {
			why = err.Error()
		}
		panic(layout.ShapeError{What: opt.Caller, Why: why})
	}
	if opt.Scaling.On() {
		panic(run.OptionError{What: opt.Caller, Why: "alpha and beta are for results of the type of the sums; leave Options.Scaling unset"})
	}
	sums := layout.New[Acc](out.Rows, out.Cols)
	spmmOf[Acc](opt, sums, a, b)
	roundTo(out, sums)
}

// spmmOf is SpMMOf with results of the type of the sums.
func spmmOf[Acc dtype.Float, A Stored[Acc], B dtype.Elem](opt Options, out layout.Matrix[Acc], a A, b layout.Matrix[B]) {
	if same, ok := any(b).(layout.Matrix[Acc]); ok {
		spmmSame(opt, out, a, same)
		return
	}
	if out, ok := any(out).(layout.Matrix[float32]); ok {
		if rows, ok := rowsOf[float32](opt, a); ok {
			switch b := any(b).(type) {
			case layout.Matrix[dtype.BF16]:
				spmmnarrow.BF16Set.MultiplyRows(opt, out, rows, b)
				return
			case layout.Matrix[dtype.F16]:
				spmmnarrow.F16Set.MultiplyRows(opt, out, rows, b)
				return
			}
		}
	}
	if err := b.Check("b"); err != nil {
		panic(layout.ShapeError{What: opt.Caller, Why: err.Error()})
	}
	m, k := dims[Acc](a)
	if k != b.Rows || out.Rows != m || out.Cols != b.Cols {
		panic(layout.ShapeError{What: opt.Caller, Why: fmt.Sprintf("out is %d x %d, a is %d x %d, b is %d x %d; want m x n, m x k, k x n", out.Rows, out.Cols, m, k, b.Rows, b.Cols)})
	}
	rows.Widened(out, b, func(out, b layout.Matrix[Acc]) { spmmSame(opt, out, a, b) })
}

// spmmSame is SpMMOpt of what SpMMOf takes.
func spmmSame[T dtype.Float, A any](opt Options, out layout.Matrix[T], a A, b layout.Matrix[T]) {
	switch a := any(a).(type) {
	case sparse.Packed[T]:
		SpMMOpt(opt, out, a, b)
		return
	case sparse.Sum[T]:
		SpMMOpt(opt, out, a, b)
		return
	}
	r, _ := rowsOf[T](opt, a)
	switch out := any(out).(type) {
	case layout.Matrix[float32]:
		spmmf32.Set.MultiplyRows(opt, out, any(r).(rows.Rows[float32]), any(b).(layout.Matrix[float32]))
	case layout.Matrix[float64]:
		spmmf64.Set.MultiplyRows(opt, out, any(r).(rows.Rows[float64]), any(b).(layout.Matrix[float64]))
	}
}

// rowsOf returns the rows of what has them.
func rowsOf[T dtype.Float](opt Options, a any) (r rows.Rows[T], ok bool) {
	switch a := a.(type) {
	case sparse.Matrix[T]:
		return rows.RowsOf(a), true
	case sparse.Pattern:
		return rows.PatternRows[T](a), true
	case sparse.Band[T]:
		return rows.BandRows(a), true
	case sparse.Narrow[dtype.BF16]:
		return rows.NarrowRows[T](opt, &spmmnarrow.StoredBF16, a), true
	case sparse.Narrow[dtype.F16]:
		return rows.NarrowRows[T](opt, &spmmnarrow.StoredF16, a), true
	}
	return r, false
}

// widens reports whether every B is an Acc.
func widens[Acc dtype.Float, B dtype.Elem]() bool {
	switch dtype.Of[B]() {
	case dtype.F32, dtype.TypeF16, dtype.TypeBF16, dtype.I8, dtype.U8, dtype.I16:
		return true
	case dtype.F64:
		return dtype.Of[Acc]() == dtype.F64
	}
	return false
}

// rounds reports whether an Acc is rounded to an Out.
func rounds[Acc dtype.Float, Out dtype.Elem]() bool {
	switch dtype.Of[Out]() {
	case dtype.F32, dtype.TypeF16, dtype.TypeBF16:
		return true
	}
	return dtype.Of[Out]() == dtype.Of[Acc]()
}

// roundTo rounds sums to out.
func roundTo[Out dtype.Elem, Acc dtype.Float](out layout.Matrix[Out], sums layout.Matrix[Acc]) {
	src, single := any(sums).(layout.Matrix[float32])
	each := (*dense.Each)(nil)
	if single && (out.ColStride == 1 || out.Cols == 1) {
		switch dtype.Of[Out]() {
		case dtype.TypeBF16:
			each = &narrowf32.BFloat16s
		case dtype.TypeF16:
			each = &narrowf32.Halves
		}
	}
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	if each != nil {
		dense.Map2[Out, float32, float32, float32](each, out, src, nil, nil, [2]int{})
		return
	}
	for i := range out.Rows {
		row := sums.Data[i*sums.RowStride:]
		for j := range out.Cols {
			switch p := any(&out.Data[i*out.RowStride+j*out.ColStride]).(type) {
			case *float32:
				*p = float32(row[j])
			case *dtype.BF16:
				*p = dtype.ToBF16(row[j])
			case *dtype.F16:
				*p = dtype.ToF16(row[j])
			}
		}
	}
}
