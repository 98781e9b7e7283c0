package snippet

//snippets:build

const m, n, k = 8, 8, 8

var (
	a = make([]float32, m*k)
	b = make([]float32, k*n)
	c = make([]float32, m*n)
	g *peer.Gemm
)
