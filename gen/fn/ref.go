package fn

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/ranges"
)

// Ref says which function is meant.
type Ref struct {
	Package string // its path; "main" for a program; a bare name such as "act" if only that is known
	Name    string // of a declared function, "" for a literal
	// File is where a function value was written, "" if the function was given by
	// name. Line is where its first instruction comes from: the line of the func, or
	// a line of the body.
	File string
	Line int
	// Params are the types of the parameters, Results of the results. They tell the
	// type arguments of a generic function. Nil means not known.
	Params, Results []Type
	Args            []Type // type arguments that were given explicitly
	// By is not nil of the function's derivative: the operands it is taken by, counted from 0, all floats if
	// there are none.
	By      []int
	reduced []emit.Reduced // of a derivative: see [emit.Derivative]
	unread  []int
	within  []ranges.Range // of the operands, as in [ranges.Promise]
	defined bool           // some type is not the one that Params and Results say, such as type Celsius float32, or int
}

func (r Ref) String() string {
	switch {
	case r.Name == "":
		return fmt.Sprintf("the function literal at %s:%d", filepath.Base(r.File), r.Line)
	case r.Package == "main" || r.Package == "":
		return r.Name
	}
	return path.Base(r.Package) + "." + r.Name
}

var (
	declaredName = regexp.MustCompile(`^([^.\[\]()]+)(\[\.\.\.\])?$`)
	literalName  = regexp.MustCompile(`\.func\d+(\.\d+)*$`)
)

// ValueOf returns the reference of a Go function value. The run time knows where
// a function comes from; what it does not know (type arguments) comes from the
// function's type. Refused are values that do not stand for one piece of source:
// method values and functions of a program built with -trimpath. Whether a
// literal captures something is for [Program.Lookup] to say.
//
// An [emit.Derivative] is a reference of the derivative of such a value, and an [ranges.Promise] of
// either with the ranges of its operands.
func ValueOf(f any) (Ref, error) {
	if f, ok := f.(ranges.Promise); ok {
		r, err := ValueOf(f.Of)
		r.within = f.Within
		return r, err
	}
	d, ok := f.(emit.Derivative)
	if !ok {
		return refOf(reflect.ValueOf(f))
	}
	r, err := refOf(reflect.ValueOf(d.Of))
	r.By, r.reduced, r.unread = append([]int{}, d.By...), d.Reduced, d.Unread
	return r, err
}

func refOf(v reflect.Value) (Ref, error) {
	if v.Kind() != reflect.Func {
		return Ref{}, fmt.Errorf("%v is not a function", v)
	}
	if v.IsNil() {
		return Ref{}, fmt.Errorf("the function is nil")
	}
	// The first instruction may come from a function that was inlined, and FuncForPC
	// would tell that one. The last of the frames is the function itself.
	frames := runtime.CallersFrames([]uintptr{v.Pointer() + 1})
	at, more := frames.Next()
	for more {
		at, more = frames.Next()
	}
	if at.Function == "" {
		return Ref{}, fmt.Errorf("the run time does not know the function; hand over a function that is declared in Go")
	}
	r, err := parseRuntimeName(at.Function)
	if err != nil {
		return Ref{}, err
	}
	if r, err = r.at(at.File, at.Line); err != nil {
		return Ref{}, err
	}
	t := v.Type()
	if t.IsVariadic() {
		return Ref{}, fmt.Errorf("%s takes a variable number of parameters; give it a fixed one", r)
	}
	for i := range t.NumIn() {
		u, err := TypeOf(t.In(i))
		if err != nil {
			return Ref{}, fmt.Errorf("%s: parameter %d: %w", r, i+1, err)
		}
		r.Params = append(r.Params, u)
		r.defined = r.defined || !plain(t.In(i), u)
	}
	for i := range t.NumOut() {
		u, err := TypeOf(t.Out(i))
		if err != nil {
			return Ref{}, fmt.Errorf("%s: result %d: %w", r, i+1, err)
		}
		r.Results = append(r.Results, u)
		r.defined = r.defined || !plain(t.Out(i), u)
	}
	return r, nil
}

// at returns r with the place where the run time says that it is.
func (r Ref) at(file string, line int) (Ref, error) {
	r.File, r.Line = file, line
	if !filepath.IsAbs(file) {
		return Ref{}, fmt.Errorf("%s: the program was built with -trimpath, so nobody knows where its source is; build without it", r)
	}
	return r, nil
}

// plain reports whether t is u, and not a type that only is like it in a lane.
func plain(t reflect.Type, u Type) bool {
	return u.Storage() || t.PkgPath() == "" && t.Name() == u.String()
}

// parseRuntimeName reads a name such as "example.com/a%2eb/act.GELU[...]".
func parseRuntimeName(s string) (Ref, error) {
	slash := strings.LastIndexByte(s, '/') + 1
	if i := strings.IndexByte(s, '['); i >= 0 { // a path may also stand in a type argument
		slash = strings.LastIndexByte(s[:i], '/') + 1
	}
	pkg, rest, ok := strings.Cut(s[slash:], ".")
	if !ok {
		return Ref{}, fmt.Errorf("%s is not a Go function", s)
	}
	r := Ref{Package: s[:slash] + strings.ReplaceAll(pkg, "%2e", ".")}
	switch m := declaredName.FindStringSubmatch(rest); {
	case strings.HasSuffix(rest, "-fm"):
		return Ref{}, fmt.Errorf("%s is a method value; make it a named function", strings.TrimSuffix(s, "-fm"))
	case m != nil:
		r.Name = m[1]
	case literalName.MatchString(rest):
	default:
		return Ref{}, fmt.Errorf("%s is a method; make it a named function", s)
	}
	return r, nil
}

// Named returns the reference of a function by its name. The name is "act.GELU", with
// the name of any package of the program, or "example.com/x/act.GELU", or "GELU" of the
// package that was loaded. Type arguments may follow, as in "act.GELU[float32]"; those
// of a generic function are otherwise found from the types of its parameters.
func Named(name string, params ...Type) (Ref, error) {
	r := Ref{Params: params}
	base, args, generic := strings.Cut(name, "[")
	if generic {
		list, ok := strings.CutSuffix(args, "]")
		if !ok {
			return Ref{}, fmt.Errorf("%q is not the name of a function: the ] is missing", name)
		}
		for s := range strings.SplitSeq(list, ",") {
			t, err := ParseType(strings.TrimSpace(s))
			if err != nil {
				return Ref{}, fmt.Errorf("%s: %w", name, err)
			}
			r.Args = append(r.Args, t)
		}
	}
	r.Name = base
	if i := strings.LastIndexByte(base, '.'); i >= 0 && i > strings.LastIndexByte(base, '/') {
		r.Package, r.Name = base[:i], base[i+1:]
	}
	if !declaredName.MatchString(r.Name) || strings.ContainsAny(r.Name, "/ \t\n") {
		return Ref{}, fmt.Errorf("%q is not the name of a function; names look like act.GELU or example.com/x/act.GELU", name)
	}
	return r, nil
}
