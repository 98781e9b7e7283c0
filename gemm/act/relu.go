package act

// ReLU is the rectified linear unit, max(x, 0) (Nair, Hinton, "Rectified linear
// units improve restricted Boltzmann machines", 2010).
func ReLU[T Float](x T) T { return max(x, 0) }

// DReLU is the derivative of [ReLU].
func DReLU[T Float](x T) T { return DLeakyReLU(x, 0) }

// LeakyReLU is x above 0 and slope*x below (Maas, Hannun, Ng, "Rectifier
// nonlinearities improve neural network acoustic models", 2013; there the slope
// is 0.01). A negative slope is allowed. A slope of 0 gives NaN at -Inf: that is
// [ReLU].
func LeakyReLU[T Float](x, slope T) T {
	if x > 0 {
		return x
	}
	return slope * x
}

// DLeakyReLU is the derivative of [LeakyReLU] in x.
func DLeakyReLU[T Float](x, slope T) T {
	if x > 0 {
		return 1
	}
	if x <= 0 {
		return slope
	}
	return x
}
