package fn

// What docs/language.md says besides the rows of tables.

// contractionRule says what [Func.fuse] does.
const contractionRule = "A product of floats that is an operand of `+` or `-` is fused into the sum, with a minus sign before it or not. Both " +
	"are rounded once, as the Go specification allows. They need not stand in one expression: `p := x * y; z + p` is fused too. " +
	"Of two products the first is fused. A product is not fused if something else uses it as well, or if a " +
	"conversion rounds it, as in `float32(x*y) + z`. The portable code leaves the choice to the Go compiler, which does not fuse on amd64 with GOAMD64 below v3."

// derivativeRule says what [Func.Derivative] does, in docs/language.md.
const derivativeRule = "The translator also derives what it translates. `gen.Derivative` writes the derivative as a Go function. `Backward` of a spec or an " +
	"epilogue puts it at the end of a product.\n\n" +
	"- The derivative is made of the same expression. So branches that are not taken do not show, not even if they overflow.\n" +
	"- A piece that does not depend on an operand has the derivative 0. It adds 0 where an infinity multiplies it: `act.GELU` has 1 at +Inf.\n" +
	"- A derivative that only becomes smaller and smaller, such as that of `math.Exp`, is a number like any other: `x*math.Exp(-x)` has NaN at +Inf.\n" +
	"- At a kink it is the derivative of the piece to the left: all operands that it is taken by grow smaller together, by the same amount. " +
	"`max(x, 0)` has 0 at 0, and a leaky one has its slope. `math.Abs` has -1 and not 0: inside of a smooth function, as in `act.Sigmoid`, `exp(-|x|)` would otherwise be flat there.\n" +
	"- If neither of two equal numbers is ahead, as of `max(x, y)` by both, the first operand has all of the derivative; of an `if`, the branch that is taken.\n" +
	"- A comparison by `==` or `!=` decides as it does in the function. So a value that is given for one point has its own derivative there. `math.Hypot` has 0 at the origin.\n" +
	"- Rounding (`math.Floor` and others, a conversion to an integer) has the derivative 0, a conversion between floats 1.\n" +
	"- You cannot derive by an operand of an integer type, nor where a number is made of the bits of another that you derive by.\n" +
	"- Derivatives of functions of package `math` are exact to a few times the error of the functions that they are made of."

// rangeRule says what [ranges.Promise] does, in docs/language.md.
const rangeRule = "A spec may state the range of an operand, as in `gemm.PerRow[float32](\"eps\").Within(1e-3, 1)`. " +
	"The function then means what it says for operands of the range, NaN not among them. For others it gives any number.\n\n" +
	"- Comparisons that the range decides are not made, and `max`, `min` and `math.Abs` that change nothing are left out.\n" +
	"- The range is a proof, as a condition around it is: `int8(x)` needs no clamp for an x within (-100, 100), nor an index, a divisor or a shift.\n" +
	"- At an end of the range, the derivative is that of the piece inside, also where it is a kink.\n" +
	"- An operand that is not in its range causes no access outside of a table, and no division by zero."

// mathMeans says what functions do that package vmath does not have (it describes its
// own), and which function of package fntest/lang shows them. Names are as in
// mathFuncs; methods of package dtype begin with a dot.
var mathMeans = map[string]form{
	"math.Float32bits":     {means: "the bits of a float32", example: "Bits32"},
	"math.Float32frombits": {means: "the float32 with these bits", example: "Bits32"},
	"math.Float64bits":     {means: "the bits of a float64", example: "Bits64"},
	"math.Float64frombits": {means: "the float64 with these bits", example: "Bits64"},
	"math.NaN":             {means: "a NaN", example: "Specials"},
	"math.Inf":             {means: "an infinity; the sign is a constant", example: "Specials"},
	"math.IsNaN":           {means: "x != x", example: "Specials"},
	"math.IsInf":           {means: "whether x is an infinity; the sign is a constant", example: "Specials"},
	"math.Signbit":         {means: "the sign bit, also of 0 and NaN", example: "Signbit"},
	"math.Dim":             {means: "x - y, or 0 if that is not above 0", example: "Dim"},
	"math.Mod":             {means: "what is left of x without multiples of a constant y, exactly; |x/y| is provably below 2^24", example: "Phase"},

	"dtype.ToF16":    {means: "the nearest number of the type", example: "Narrow16"},
	"dtype.ToBF16":   {means: "the nearest number of the type", example: "Narrow16"},
	"dtype.ToF8E4M3": {means: "the nearest number of the type", example: "Narrow8"},
	"dtype.ToF8E5M2": {means: "the nearest number of the type", example: "Narrow8"},

	"dtype.F16FromBits":    {means: "the number with these bits", example: "FromBits16"},
	"dtype.BF16FromBits":   {means: "the number with these bits", example: "FromBits16"},
	"dtype.F8E4M3FromBits": {means: "the number with these bits", example: "FromBits8"},
	"dtype.F8E5M2FromBits": {means: "the number with these bits", example: "FromBits8"},

	".Float32": {means: "the number as a float32, exactly", example: "Narrow16"},
	".Float64": {means: "the number as a float64, exactly", example: "Narrow8"},
	".Bits":    {means: "its bits, a uint16 or a uint8", example: "FromBits16"},
}

func init() {
	for _, f := range bitsFuncs {
		mathMeans["bits."+f.name] = form{means: f.doc + "; also of W = 8, 16, 32 or 64 bits, as in " + f.name + "32", example: f.example}
	}
}
