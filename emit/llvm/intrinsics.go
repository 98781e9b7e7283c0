package llvm

import (
	"github.com/llir/llvm/ir"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// call appends a call of LLVM's function name, which is declared once for the module.
func (e *emitter) call(name string, result llvm.Type, args ...value.Value) value.Value {
	f := e.declared[name]
	if f == nil {
		var params []*ir.Param
		for _, a := range args {
			params = append(params, ir.NewParam("", a.Type()))
		}
		f = e.m.NewFunc(name, result, params...)
		e.declared[name] = f
	}
	return e.at.NewCall(f, args...)
}
