package snippet

func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

func requantise(acc, bias int32, scale float32) uint8 {
	return quant.RequantiseBias[uint8](acc, bias, scale, 0)
}

var (
	bias   = gemm.PerColumn[float32]("bias")
	bias32 = gemm.PerColumn[int32]("bias")
	scale  = gemm.PerColumn[float32]("scale")
)
