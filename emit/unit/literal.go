package unit

import (
	"fmt"
	"strings"
)

// Struct is a literal with a field for each name and value that are given, one after the other. Zeros are left
// out. A string is one in Go, too; an [Expr] stands as it is.
func Struct(typ string, fields ...any) Lit { return Lit{Type: typ}.And(fields...) }

// And adds fields as [Struct] has them.
func (l Lit) And(fields ...any) Lit {
	for i := 0; i < len(fields); i += 2 {
		l = l.With(Field{fields[i].(string), literal(fields[i+1])})
	}
	return l
}

// literal is a value of a field: "" for a zero.
func literal(v any) any {
	switch v := v.(type) {
	case string:
		if v != "" {
			return Expr(fmt.Sprintf("%q", v))
		}
	case bool:
		if v {
			return Expr("true")
		}
	case int, float64:
		if v != 0 && v != 0.0 {
			return Expr(fmt.Sprint(v))
		}
	case nil:
	default:
		return v
	}
	return Expr("")
}

// Exprf is an expression that is formatted as by package fmt.
func Exprf(format string, args ...any) Expr { return Expr(fmt.Sprintf(format, args...)) }

// When is [Exprf] if something holds, and else none.
func When(holds bool, format string, args ...any) Expr {
	if !holds {
		return ""
	}
	return Exprf(format, args...)
}

// List is a list of a type on one line, nothing if there are no elements.
func List(typ string, elements []string) Expr {
	if elements == nil {
		return ""
	}
	return Expr(typ + "{" + strings.Join(elements, ", ") + "}")
}

// Inline is a literal as [Struct], on one line and without a type, as an element of a list has it.
func Inline(fields ...any) Expr {
	var parts []string
	for _, f := range Struct("", fields...).Fields {
		parts = append(parts, fmt.Sprintf("%s: %v", f.Name, f.Value))
	}
	return Expr("{" + strings.Join(parts, ", ") + "}")
}
