package gpu

import (
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Stock is a generated function without its types, and what [Session.Run] does with
// it.
type Stock struct {
	Name string
	Type dtype.Type // of a and b
	Set  *run.Set
	// Checks are what it must pass.
	Checks func(info cuda.Info, long bool) []Step
	// Outputs are golden vectors of one product; what goes in follows from the shape.
	Outputs func(s cuda.Stream) ([]Vector, error)
	// Operands makes products to time.
	Operands OperandsFunc
}

// Step is one check.
type Step struct {
	Name string
	Run  func(s cuda.Stream) error
}

// NewStock describes a case to a session.
func NewStock(name string, c Case, operands OperandsFunc) Stock {
	return Stock{Name: name, Type: c.A, Set: c.Kernels, Operands: operands,
		Checks: func(info cuda.Info, long bool) (steps []Step) {
			for _, tr := range Trials(c, info, long) {
				steps = append(steps, Step{tr.String(), tr.Run})
			}
			return steps
		},
		Outputs: func(s cuda.Stream) (vs []Vector, err error) {
			for _, shape := range []check.Shape{{M: 70, N: 140, K: 50}, {M: 64, N: 64, K: 64}} {
				tr := Trial{Trial: check.Trial{Shape: shape, Sums: c.Sums}, Case: c, Lie: Lie{Off: 16}}
				tr.Keep = func(output string, memory []byte) {
					vs = append(vs, Vector{Name: fmt.Sprintf("%s %v %s", name, shape, output), Out: memory})
				}
				if err := tr.Run(s); err != nil {
					return nil, fmt.Errorf("%v: %w", tr, err)
				}
			}
			return vs, nil
		},
	}
}

// Timed says which product is to be timed.
type Timed struct {
	check.Shape
	TransA, TransB bool
}

// Layout names the factors' orders as BLAS does: nn, nt, tn or tt.
func (t Timed) Layout() string {
	return string([]byte{"nt"[b2i(t.TransA)], "nt"[b2i(t.TransB)]})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Operands are copies of one product's matrices, dense and row-major, so that no
// launch finds what the last one left in the cache.
type Operands struct {
	Copies    int
	Launch    func(i int) error // ours, on copy i
	A, B, Out []uint64
	Free      func()
}

// OperandsFunc makes operands of random numbers.
type OperandsFunc func(s cuda.Stream, t Timed, copies int) (*Operands, error)

// OperandsOf makes operands for a function of a product. With bias it is given n
// elements for every call.
func OperandsOf[A, B, C dtype.Elem](f func(s cuda.Stream, out cuda.Matrix[C], a cuda.Matrix[A], b cuda.Matrix[B], bias cuda.Slice[float32]) error) OperandsFunc {
	return func(s cuda.Stream, t Timed, copies int) (*Operands, error) {
		o := &Operands{Copies: copies}
		var frees []func() error
		o.Free = func() {
			for _, f := range frees {
				f()
			}
		}
		bias, err := cuda.Make[float32](s.Device(), t.N)
		if err == nil {
			frees = append(frees, bias.Free)
			err = fill(s, bias, 3)
		}
		as, bs, outs := make([]cuda.Matrix[A], copies), make([]cuda.Matrix[B], copies), make([]cuda.Matrix[C], copies)
		for i := range copies {
			if err == nil {
				as[i], err = filled[A](s, t.M, t.K, t.TransA, 1, &frees)
			}
			if err == nil {
				bs[i], err = filled[B](s, t.K, t.N, t.TransB, 2, &frees)
			}
			if err == nil {
				outs[i], err = filled[C](s, t.M, t.N, false, 4, &frees)
			}
			if err != nil {
				o.Free()
				return nil, err
			}
			o.A, o.B, o.Out = append(o.A, as[i].Address()), append(o.B, bs[i].Address()), append(o.Out, outs[i].Address())
		}
		o.Launch = func(i int) error { return f(s, outs[i%copies], as[i%copies], bs[i%copies], bias) }
		return o, nil
	}
}

// filled makes a matrix of random numbers; trans lays it out as its transpose.
func filled[T dtype.Elem](s cuda.Stream, rows, cols int, trans bool, seed uint64, frees *[]func() error) (cuda.Matrix[T], error) {
	r, c := rows, cols
	if trans {
		r, c = c, r
	}
	m, err := cuda.New[T](s.Device(), r, c)
	if err != nil {
		return m, err
	}
	*frees = append(*frees, m.Free)
	err = fill(s, m.Data, seed)
	if trans {
		m = m.T()
	}
	return m, err
}

// fill writes some random numbers, and copies of them. The values change what a GPU
// consumes and so its clock; how often they recur does not.
func fill[T dtype.Elem](s cuda.Stream, x cuda.Slice[T], seed uint64) error {
	const most = 1<<20 + 7 // odd, so that rows differ
	rng := rand.New(rand.NewPCG(seed, 1))
	host := make([]T, min(x.Len(), most))
	for i := range host {
		host[i] = number[T](rng.NormFloat64())
	}
	if err := x.Slice(0, len(host)).Write(s, host); err != nil {
		return err
	}
	for done := len(host); done < x.Len(); {
		n := min(done, x.Len()-done)
		if err := x.Slice(done, done+n).Copy(s, x.Slice(0, n)); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// number rounds x to T.
func number[T dtype.Elem](x float64) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = float32(x)
	case *dtype.F16:
		*p = dtype.ToF16(x)
	case *dtype.BF16:
		*p = dtype.ToBF16(x)
	case *float64:
		*p = x
	case *dtype.F8E4M3:
		*p = dtype.ToF8E4M3(x)
	case *dtype.F8E5M2:
		*p = dtype.ToF8E5M2(x)
	case *int8:
		*p = int8(max(-128, min(127, 40*x)))
	case *uint8:
		*p = uint8(max(0, min(255, 128+40*x)))
	}
	return v
}
