package snippet

var (
	a   = layout.New[float32](3, 5)
	out = layout.New[float32](3, 3)
	t   = layout.RowMajor([]float32{1, 0, 0, 1, 2, 0, 1, 1, 1}, 3, 3)
	b   = layout.New[float32](3, 4)
	c   = layout.New[float32](4, 3)
)

func polynomial(acc, scale float32) float32 { s := acc*scale + 1; return s * s }

func biasReLU(acc, bias float64) float64 { return act.ReLU(acc + bias) }
