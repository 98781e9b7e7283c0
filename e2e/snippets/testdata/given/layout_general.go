package snippet

var (
	out = mat.NewDense(2, 2, nil)
	b   = mat.NewDense(2, 2, nil)
	m   = layout.New[float64](2, 2)

	a, _ = sparse.Identity[float64](2)
)
