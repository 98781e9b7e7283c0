package snippet

const m, n, k = 4, 3, 5

var (
	x = make([]float32, m*k)
	y = make([]float32, k*n)

	a    = layout.RowMajor(x, m, k)
	b    = layout.ColMajor(y, k, n)
	c    = layout.New[float32](n, k)
	out  = layout.New[float32](m, n)
	as   = layout.RowMajor(make([]float32, 1000*m*k), m, k)
	outs = layout.RowMajor(make([]float32, 1000*m*n), m, n)

	half    = layout.New[dtype.BF16](m, k)
	weights = layout.New[int8](k, n)

	sums   = layout.New[int32](m, n)
	bytes  = layout.New[uint8](m, k)
	signed = layout.New[int8](k, n)
)
