package snippet

var file = strings.NewReader("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 10\n2 1 1\n")

var (
	a = func() sparse.Matrix[float32] {
		m, err := sparse.FromCOO(2, 3, []int{0, 1}, []int{2, 0}, []float32{10, 1})
		if err != nil {
			panic(err)
		}
		return m
	}()
	b    = layout.New[float32](3, 4)
	out  = layout.New[float32](2, 4)
	half = layout.New[dtype.BF16](3, 4)

	x = make([]float32, 3)
	y = make([]float32, 2)
)

func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

var (
	spd = func() sparse.Matrix[float64] {
		m, err := sparse.FromCOO(2, 2, []int{0, 0, 1, 1}, []int{0, 1, 0, 1}, []float64{2, -1, -1, 2})
		if err != nil {
			panic(err)
		}
		return m
	}()
	solution = make([]float64, 2)
	right    = []float64{1, 1}
)
