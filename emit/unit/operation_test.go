package unit

import "testing"

// TestOperation: variables of functions give way to parameters, and errors name the function that was called.
func TestOperation(t *testing.T) {
	o := &Operation{Package: "p", Name: "Add", First: []Param{{Name: "$stream", Type: "Stream"}},
		Params: []Param{{Name: "e", Bind: "Out(&$e, e)", Role: Output}, {Name: "opt"}, {Name: "x", Bind: "In(&$e, x)", Role: Operand}}}
	ds := o.Calls("adds.", "threads", "", "$e := New($name)\n$binds\n$set.Run($stream, $opt, &$e)")
	short, long := ds[0].(Func), ds[1].(Func)
	if have, want := short.Body, `AddOpt(stream, run.Options{Caller: "p.Add"}, e, opt, x)`; have != want {
		t.Errorf("%s, want %s", have, want)
	}
	if have, want := long.Body, "e2 := New(opt2.Name(\"p.AddOpt\"))\nOut(&e2, e)\nIn(&e2, x)\nset.Run(stream, opt2, &e2)"; have != want {
		t.Errorf("%s, want %s", have, want)
	}
	if have, want := Names(long.Params), "stream, opt2, e, opt, x"; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}

func TestStruct(t *testing.T) {
	have := Inline("Name", "a", "None", "", "N", 3, "Zero", 0, "Is", true, "Not", false, "At", Expr("x[0]"), "Of", List("[]int", nil))
	if want := Expr(`{Name: "a", N: 3, Is: true, At: x[0]}`); have != want {
		t.Errorf("%s, want %s", have, want)
	}
}
