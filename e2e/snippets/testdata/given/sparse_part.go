package snippet

var a = func() sparse.Matrix[float32] {
	m, err := sample.Uniform[float32](64, 64, 3, 1)
	if err != nil {
		panic(err)
	}
	return m
}()
