// Package act has the usual activation functions and their derivatives, for
// epilogues of products and for any other Go code.
//
// They are ordinary generic functions that import only math. Each call of math is
// T(math.F(float64(e))) with e of type T, which the translator reads as one operation
// of type T. There is no float64 arithmetic on float32 numbers. The functions of math
// are Abs, Erfc, Exp, Expm1, Log1p and Tanh. Branches choose between values, without
// loops.
//
// All are defined everywhere. NaN gives NaN, and infinities give the limits below. No
// argument overflows on the way to a finite result. At a kink the derivative is the
// one from the left.
//
// The table bounds the error in units in the last place of the result (ulp), against
// Go's math. It holds whether or not products and sums are fused. The first bound is
// for |x| <= 4, the second for all x. A unit is at least that of 2^-118 (float32) or
// 2^-1011 (float64), because a factor of a smaller result may be subnormal. Within 0.5
// of a negative root of DSiLU, DGELU, DGELUErf, DMish and DHardSwish it is that of 1/8.
// The large bounds of GELU belong to far negative x, where the result is tiny: an
// exponential multiplies the rounding of its argument. At -Inf, SiLU, GELU and DGELU
// stay at a number that is not quite 0. Its magnitude is below 1e-33 (float32) or
// 1e-293 (float64). The bounds hold up to where that number begins. ELU has alpha =
// 1.7, LeakyReLU slope = 0.3, Clamp ends at -1.1 and 2.3.
//
//	              -Inf    +Inf    float32       float64
//	Sigmoid       0       1       3     3       3     3
//	DSigmoid      0       0       5     5       4.5   4.5
//	Tanh          -1      1       0.6   0.6     1.5   1.5
//	DTanh         0       0       5     5       5     5
//	SiLU          0       +Inf    4     4       4     4
//	DSiLU         0       1       7     7       7     7
//	GELU          0       +Inf    30    240     30    1800
//	DGELU         0       1       30    260     30    1800
//	GELUErf       0       +Inf    25    240     30    1800
//	DGELUErf      0       1       10    90      10    700
//	Mish          0       +Inf    5.5   5.5     5.5   5.5
//	DMish         0       1       13    13      13    13
//	Softplus      0       +Inf    2     2       2.5   2.5
//	DSoftplus     0       1       3     3       3     3
//	ELU           -1.7    +Inf    2     2       2.5   2.5
//	DELU          0       1       2     2       2.5   2.5
//	ReLU          0       +Inf    0     0       0     0
//	DReLU         0       1       0     0       0     0
//	LeakyReLU     -Inf    +Inf    0.5   0.5     0.5   0.5
//	DLeakyReLU    0.3     1       0     0       0     0
//	Clamp         -1.1    2.3     0     0       0     0
//	DClamp        0       0       0     0       0     0
//	HardSigmoid   0       1       1     1       1     1
//	DHardSigmoid  0       0       0.5   0.5     0.5   0.5
//	HardSwish     0       +Inf    2     2       2     2
//	DHardSwish    0       1       1     1       1     1
package act

// Float is the type an activation computes in.
type Float interface {
	float32 | float64
}
