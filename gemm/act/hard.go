package act

// HardSigmoid is a sigmoid made of three lines: 0 up to -3, 1 from 3 on, (x+3)/6
// between. See Howard and others, "Searching for MobileNetV3", 2019. Three lines with
// another slope come from Courbariaux, Bengio, David, "BinaryConnect", 2015.
func HardSigmoid[T Float](x T) T { return min(max(x+3, 0), 6) / 6 }

// DHardSigmoid is the derivative of [HardSigmoid].
func DHardSigmoid[T Float](x T) T { return DClamp(x, -3, 3) / 6 }

// HardSwish is x*HardSigmoid(x): 0 up to -3, x from 3 on (Howard and others,
// "Searching for MobileNetV3", 2019).
func HardSwish[T Float](x T) T { return max(x, -3) * HardSigmoid(x) }

// DHardSwish is the derivative of [HardSwish].
func DHardSwish[T Float](x T) T {
	if x > 3 {
		return 1
	}
	if x <= -3 {
		return 0
	}
	return (2*x + 3) / 6
}
