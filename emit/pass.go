package emit

import "fmt"

// Pass is a rewriting of a function in place. Passes are data: a backend lists
// those it needs, and a caller can look at the function between any two.
//
// A pass keeps the meaning of a function that passes [Func.Check], and gives one that
// does. In particular it may not make a value live longer whose registers an
// instruction reuses.
type Pass struct {
	Name string
	Run  func(*Func) error
}

// Run rewrites f by the passes in order. After each it numbers f and calls dump,
// if there is one, with the pass's name; then it calls [Func.Check]. The error names the
// pass, and f is left as that pass left it.
func Run(f *Func, passes []Pass, dump func(after string, f *Func)) error {
	for _, p := range passes {
		if err := p.Run(f); err != nil {
			return fmt.Errorf("pass %s: %w", p.Name, err)
		}
		f.Number()
		if dump != nil {
			dump(p.Name, f)
		}
		if err := f.Check(); err != nil {
			return fmt.Errorf("after pass %s: %w", p.Name, err)
		}
	}
	return nil
}

// constant returns the constant operation that makes v, or nil.
func (v *Value) constant() *Op {
	if v.Op != nil && v.Op.Def.Name == "const" {
		return v.Op
	}
	return nil
}

// intConstant returns the number that v is known to be, if it is a scalar integer.
func (v *Value) intConstant() (n int64, ok bool) {
	c := v.constant()
	if c == nil || v.Type != Scalar(v.Type.Elem) || !v.Type.Elem.Int() {
		return 0, false
	}
	return signed(v.Type.Elem, truncate(v.Type.Elem, uint64(c.Attr.Imm))), true
}
