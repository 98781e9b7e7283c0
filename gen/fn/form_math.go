package fn

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
