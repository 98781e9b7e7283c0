package advise

import (
	"github.com/tilesmith/tilesmith/layout/dtype"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// PredictCSR returns the seconds that [For] predicts for a product of m in compressed rows, on
// one core of a machine. The same arguments give the same number, since nothing is measured. It
// looks at no other format, and refuses what Advise does.
func PredictCSR[T dtype.Float](m sparse.Matrix[T], features int, on Machine) (float64, error) {
	if err := checkAdvise("advise.PredictCSR", features, &on); err != nil {
		return 0, err
	}
	s := runs.Of(m.Canonical().Raw())
	a, size := Advice{Features: features, Machine: on}, dtype.Of[T]().Size()
	p, kern := &plan{format: format.CSR}, kernelsFor(on.Of(on.ISA), size)
	if err := p.prepare(s, &kern); err != nil {
		return 0, err
	}
	j := judged{plan: p, cost: p.work(&on, s, features*size, size)}
	j = j.simulate(&a, s, size, nil)
	return j.cost.seconds(), nil
}

// checkAdvise refuses what no advice can be given for.
func checkAdvise(where string, features int, on *Machine) error {
	if features < 1 || features > sparse.MaxDim {
		return sparse.Errorf(sparse.ErrSize, where, "B has from 1 to 134217728 columns", "%d features", features)
	}
	return on.check()
}
