package snippet

var (
	d = mat.NewDense(2, 2, nil)
	e = mat.NewDense(2, 2, nil)
	m = layout.New[float64](2, 2)

	a, _ = sparse.Identity[float64](2)
)
