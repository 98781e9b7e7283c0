// Package lang has an example of each construct that package fn translates: those of
// docs/language.md. A test translates them, runs them and compares with what Go makes of
// them.
package lang

// All are the examples by their names, generic ones by an instance.
var All = map[string]any{
	"Assign": Assign, "Declare": Declare, "Increment": Increment, "If": If, "Switch": Switch, "TypeSwitch[float32]": TypeSwitch[float32],
	"For": For, "Range": Range, "Break": Break, "Label": Label, "Return": Return, "Block": Block,
	"Names": Names, "Struct": Struct, "Array": Array, "Table": Table, "Call": Call,
	"Arithmetic": Arithmetic, "Quotients": Quotients, "BitOperators": BitOperators, "Shifts": Shifts, "Comparisons": Comparisons,
	"Logic": Logic, "Unary": Unary,
	"Extremes": Extremes, "Length": Length,
	"SameKind": SameKind, "Floats": Floats, "IntToFloat": IntToFloat, "FloatToInt": FloatToInt, "IntToInt": IntToInt,
	"Bits32": Bits32, "Bits64": Bits64,
	"Counts": Counts, "Moved": Moved, "Specials": Specials, "Signbit": Signbit, "Dim": Dim, "Phase": Phase,
	"Narrow16": Narrow16, "Narrow8": Narrow8, "FromBits16": FromBits16, "FromBits8": FromBits8,
}
