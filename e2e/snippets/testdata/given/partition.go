package snippet

var (
	a = func() sparse.Matrix[float32] {
		m, err := sample.Uniform[float32](64, 64, 3, 1)
		if err != nil {
			panic(err)
		}
		return m
	}()
	h = func() *part.Hypergraph {
		h, err := part.ColumnNet(a, part.Model{})
		if err != nil {
			panic(err)
		}
		return h
	}()
	p = func() part.Partition {
		p, err := part.Make(h, 2, part.Options{Seed: 1})
		if err != nil {
			panic(err)
		}
		return p
	}()
)
