package snippet

func residual(acc, res, scale float32) (out, pre float32) {
	pre = acc*scale + res
	return act.ReLU(pre), pre
}

func biasGELU(acc, bias float32) float32 { return act.GELU(acc + bias) }

func score(acc float32) float32 { return acc * act.Sigmoid(acc) }
