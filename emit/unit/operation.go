package unit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An Operation is what users call: NAME, and NAMEOpt with options. In the text of its functions,
// and in names of parameters, $word is a variable of that name, or of another one if a
// parameter of the operation has it. Besides
//
//	$name   is the name that errors give the function, unless a caller gave another in $opt
//	$binds  and the end of a line are the statements that hand the parameters to the epilogue in $e
type Operation struct {
	Package, Name string  // errors name both; without a package only the name
	First         []Param // before options
	Options       Param   // whose Arg is what NAME hands to NAMEOpt; run.Options with a Caller if it has no type
	Params        []Param
	Result        string
}

// Called is the name that errors give a function, as Go writes it.
func (o *Operation) Called(suffix string) string {
	if o.Package == "" {
		return fmt.Sprintf("%q", o.Name+suffix)
	}
	return fmt.Sprintf("%q", o.Package+"."+o.Name+suffix)
}

// Check refuses names of parameters that generated code cannot have, such as those of NAMEOpt and of taken; see
// checkNames. Those of a grouped operation are fields, too.
func (o *Operation) Check(grouped bool, taken ...string) error {
	if err := checkNames(o.Params, append(taken, o.Name+"Opt")...); err != nil || !grouped {
		return err
	}
	return checkFields(o.Params)
}

// options is the parameter that they are.
func (o *Operation) options() Param {
	if o.Options.Type == "" {
		return Param{Name: "$opt", Type: "run.Options", Arg: "run.Options{Caller: " + o.Called("") + "}"}
	}
	return o.Options
}

// Calls are NAME and NAMEOpt. doc is what they do, options are what the second has, and body is that of the
// second. short is that of the first; "" calls the second.
func (o *Operation) Calls(doc, options, short, body string) []Decl {
	if short == "" {
		short = o.call(o.options().Arg, Names(o.Params))
	}
	return []Decl{
		o.Func("", doc, slices.Concat(o.First, o.Params), short),
		o.Func("Opt", fmt.Sprintf("is %s with options: %s.", o.Name, options), o.With(o.Params...), body),
	}
}

// call is the statement that calls NAMEOpt with options and arguments.
func (o *Operation) call(options, args string) string {
	var before []string
	for _, p := range o.First {
		before = append(before, p.Name)
	}
	text := fmt.Sprintf("%sOpt(%s)", o.Name, strings.Join(append(before, options, args), ", "))
	if o.Result != "" {
		text = "return " + text
	}
	return text
}

// With are parameters after those that come before options, and options.
func (o *Operation) With(ps ...Param) []Param {
	return slices.Concat(o.First, []Param{o.options()}, ps)
}

// Func is the function NAMEsuffix. Its doc follows its name.
func (o *Operation) Func(suffix, doc string, ps []Param, body string) Func {
	f := Func{Doc: o.Name + suffix + " " + doc, Name: o.Name + suffix, Result: o.Result, Body: o.Text(suffix, body)}
	for _, p := range ps {
		p.Name = o.Text(suffix, p.Name)
		f.Params = append(f.Params, p)
	}
	return f
}

// Returning is Func for a function with a result of its own.
func (o *Operation) Returning(result, suffix, doc string, ps []Param, body string) Func {
	f := o.Func(suffix, doc, ps, body)
	f.Result = result
	return f
}

var word = regexp.MustCompile(`\$(binds\n|[a-z]+)`)

// Text is a text of the function NAMEsuffix with each $word replaced.
func (o *Operation) Text(suffix, text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		switch w {
		case "$binds\n":
			return o.Text(suffix, binds(o.Params, "$e"))
		case "$name":
			return o.Text(suffix, "$opt.Name(") + o.Called(suffix) + ")"
		}
		return free(w[1:], o.Params)
	})
}

// Grouped is the type of a problem, and the function NAMEGrouped for many of them. how says how they are done and see what
// else there is to know of it; more are fields of a problem besides parameters, as Go has them.
func (o *Operation) Grouped(how, see, more, body string) []Decl {
	doc := fmt.Sprintf("is %sOpt for many products %s, each with a shape, strides and operands of its own. "+
		"There is no order in which they are done, and what one writes is not to share memory with anything of another. %s", o.Name, how, see)
	return []Decl{
		problem(o.Name, o.Params, more),
		o.Func("Grouped", doc, o.With(Param{Name: "problems", Type: "[]" + o.Name + "Problem"}), body),
	}
}
