package snippet

//snippets:build

var (
	a        sparse.Matrix[float32]
	c        *comm.Comm
	owners   []int32
	features []float32
	y        layout.Matrix[float32]
)
