package snippet

// a has three triangles.
var a = func() sparse.Matrix[float64] {
	b := sparse.NewBuilder[float64](8, 8)
	for _, e := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}, {4, 5}, {4, 6}, {5, 6}, {5, 7}} {
		b.Add(e[0], e[1], 1)
		b.Add(e[1], e[0], 1)
	}
	m, err := b.Matrix()
	if err != nil {
		panic(err)
	}
	return m
}()

var visited, frontier = start(), start()

func start() sparse.Vector[uint8] {
	v, err := sparse.NewVector(8, []int{0}, []uint8{1})
	if err != nil {
		panic(err)
	}
	return v
}

var graph, _ = sparse.Convert[uint8](a)

func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

var bias = gemm.PerColumn[float32]("bias")

func gatScore(acc, from, to float32) float32 { return act.LeakyReLU(acc+from+to, 0.2) }
