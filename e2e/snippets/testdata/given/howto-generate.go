package snippet

var (
	q     = tpp.In(gemm.Full[float32]("q"))
	k     = tpp.In(gemm.Full[float32]("k"))
	v     = tpp.In(gemm.Full[float32]("v"))
	scale = tpp.In(gemm.Scalar[float32]("scale"))
)
