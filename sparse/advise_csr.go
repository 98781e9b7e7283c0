package sparse

import "github.com/tilesmith/tilesmith/layout/dtype"

// PredictCSR returns the seconds that [Advise] predicts for a product of m in compressed rows, on
// one core of a machine. The same arguments give the same number, since nothing is measured. It
// looks at no other format, and refuses what Advise does.
func PredictCSR[T dtype.Float](m Matrix[T], features int, on Machine) (float64, error) {
	if err := checkAdvise("sparse.PredictCSR", features, &on); err != nil {
		return 0, err
	}
	s := m.Canonical().structure()
	s.of = new(undivided)
	a, size := Advice{Features: features, Machine: on}, dtype.Of[T]().Size()
	p, kern := &plan{format: CSR}, kernelsFor(on.Of(on.ISA), size)
	if err := p.prepare(s, &kern); err != nil {
		return 0, err
	}
	j := judged{plan: p, cost: p.work(&on, s, features*size, size)}
	j = j.simulate(&a, s, size, nil)
	return j.cost.seconds(), nil
}

// checkAdvise refuses what no advice can be given for.
func checkAdvise(where string, features int, on *Machine) error {
	if features < 1 || features > MaxDim {
		return fail(ErrSize, where, "B has from 1 to 134217728 columns", "%d features", features)
	}
	return on.check()
}
