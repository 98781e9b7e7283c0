package llvm

import (
	"fmt"

	"github.com/llir/llvm/ir"
	llvm "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/tilesmith/tilesmith/emit"
)

// emitter translates one function.
type emitter struct {
	*module
	f    *emit.Func
	fn   *ir.Func
	args value.Value // the address of the argument block
	at   *ir.Block   // the end of what there is
	vals map[*emit.Value]value.Value

	blocks int
}

// add translates f as a function of the module.
func (m *module) add(f *emit.Func) error {
	args := ir.NewParam("args", m.ptr(llvm.I8))
	e := &emitter{module: m, f: f, args: args, fn: m.m.NewFunc(f.Name, llvm.Void, args), vals: map[*emit.Value]value.Value{}}
	e.fn.FuncAttrs = []ir.FuncAttribute{m.attributes}
	e.enter(ir.NewBlock("entry"))
	if err := e.block(f.Body); err != nil {
		return err
	}
	e.at.NewRet(nil)
	return nil
}

// block translates the operations of b but for its yield.
func (e *emitter) block(b *emit.Block) error {
	for _, op := range b.Ops {
		if op.Def.Name == "yield" {
			continue
		}
		if err := e.op(op); err != nil {
			if emit.AsError(err) == nil {
				err = e.f.Refuse(op, "%v", err)
			}
			return err
		}
	}
	return nil
}

func (e *emitter) op(op *emit.Op) error {
	for _, v := range op.Results {
		if _, err := e.of(v.Type); err != nil {
			return err
		}
	}
	if region := regions[op.Def.Name]; region != nil {
		return region(e, op)
	}
	row := rows[op.Def.Name]
	if row == nil {
		return fmt.Errorf("%s has no row on llvm", op.Def.Name)
	}
	v, err := row(e, op)
	if err != nil {
		return err
	}
	if len(op.Results) > 0 {
		e.vals[op.Results[0]] = v
	}
	return nil
}

// arg returns operand i of op.
func (e *emitter) arg(op *emit.Op, i int) value.Value { return e.vals[op.Args[i]] }

// typ returns the type of values of t, which was looked at before.
func (e *emitter) typ(t emit.Type) llvm.Type {
	typ, err := e.of(t)
	if err != nil {
		panic("llvm: " + err.Error()) // every value is a result or an argument of a block
	}
	return typ
}

// newBlock returns a block whose name begins with name, for branches to go to.
func (e *emitter) newBlock(name string) *ir.Block {
	e.blocks++
	return ir.NewBlock(fmt.Sprintf("%s%d", name, e.blocks))
}

// enter goes on in b, which stands after all blocks so far.
func (e *emitter) enter(b *ir.Block) {
	b.Parent = e.fn
	e.fn.Blocks = append(e.fn.Blocks, b)
	e.at = b
}
