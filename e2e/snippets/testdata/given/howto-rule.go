package snippet

var m = func() sparse.Matrix[float32] {
	m, err := sparse.FromCOO(4, 4, []int{0, 1, 2, 3, 3}, []int{0, 1, 2, 3, 0}, []float32{1, 2, 3, 4, 5})
	if err != nil {
		panic(err)
	}
	return m
}()

func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

var bias = gemm.PerColumn[float32]("bias")
