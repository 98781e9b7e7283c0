package snippet

var (
	a = func() sparse.Matrix[float64] {
		m, err := sparse.FromCOO(2, 2, []int{0, 0, 1, 1}, []int{0, 1, 0, 1}, []float64{2, -1, -1, 2})
		if err != nil {
			panic(err)
		}
		return m
	}()
	x = make([]float64, 2)
	b = []float64{1, 1}
)
