package lang

// Assign swaps and adds.
func Assign(x, y float32) float32 {
	z := x
	x, y = y, x
	z += y
	return z - x
}

// Declare has a variable, a constant and a type.
func Declare(x float32) float32 {
	type length float32
	const half = 0.5
	var sum length
	sum += length(x) * half
	return float32(sum)
}

// Increment counts.
func Increment(x int32) int32 {
	x++
	return x
}

// If is a leaky unit.
func If(x float32) float32 {
	if x > 0 {
		return x
	} else {
		x *= 0.125
	}
	return x
}

// Switch maps ranges and values.
func Switch(x float32, kind int32) float32 {
	switch kind {
	case 0:
		return x
	case 1, 2:
		x = max(x, 0)
		fallthrough
	case 3:
		x /= 2
	default:
		x = 1
	}
	return x
}

// TypeSwitch takes a constant by the type.
func TypeSwitch[T float32 | float64](x T) T {
	switch any(x).(type) {
	case float32:
		return x * 0x1p-12
	}
	return x * 0x1p-26
}

// For is a power.
func For(x float32) float32 {
	y := float32(1)
	for i := 0; i < 3; i++ {
		y *= x
	}
	return y
}

// Range is a polynomial.
func Range(x int32) int32 {
	y := int32(0)
	for _, c := range [...]int32{3, -2, 7} {
		y = y*x + c
	}
	for i := range 3 {
		y ^= int32(i) * x
	}
	return y
}

// Break stops when it is large enough.
func Break(x float32) float32 {
	for range 3 {
		if x > 100 {
			break
		}
		x *= 4
	}
	return x
}

// Label leaves two loops.
func Label(x int32) int32 {
	n := int32(0)
outer:
	for i := range 2 {
		for j := range 2 {
			if x == int32(2*i+j) {
				break outer
			}
			n++
		}
	}
	return n
}

// Return has two results, with names.
func Return(x float32) (out, pre float32) {
	pre = x * 2
	if pre < 0 {
		return 0, pre
	}
	out = pre
	return
}

// Block has statements in braces, and a call for nothing.
func Block(x float32) float32 {
	{
		twice(x)
		x = twice(x)
	}
	return x
}

func twice(x float32) float32 { return x + x }
