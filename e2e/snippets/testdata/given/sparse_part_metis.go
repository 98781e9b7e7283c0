package snippet

//snippets:build

const k = 4

var (
	a sparse.Matrix[float32]
	h *part.Hypergraph
)
