package arm64

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// floats gives the mnemonics of lanewise floating-point operations.
var floats = map[string]string{"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "sqrt": "fsqrt"}

// computes refuses floats that are only stored and converted.
func computes(t emit.Type) error {
	if full(t.Elem) {
		return nil
	}
	return fmt.Errorf("arm64 computes on f32 and f64 here, not on %v; convert with cvt", t)
}

// selectArith is the arithmetic that floats, integers and masks share by name.
func selectArith(e *emitter, op *emit.Op) error {
	switch r := op.Result(); {
	case r.Type.Elem == emit.I1:
		return e.maskLogic(op)
	case r.Type.Elem.Float():
		return e.floatArith(op)
	case r.Type.Lanes > 1:
		return e.vectorInt(op)
	}
	return e.scalarInt(op)
}

func (e *emitter) floatArith(op *emit.Op) error {
	r := op.Result()
	if err := computes(r.Type); err != nil {
		return err
	}
	if op.Def.Name == "sqrt" {
		e.neon("fsqrt %s, %s", e.fp(r), e.fp(op.Args[0]))
		return nil
	}
	e.neon("%s %s, %s, %s", floats[op.Def.Name], e.fp(r), e.fp(op.Args[0]), e.fp(op.Args[1]))
	return nil
}

// selectFMA adds to the accumulator's register; of scalars the result has one of its own.
func selectFMA(e *emitter, op *emit.Op) error {
	r := op.Result()
	if err := computes(r.Type); err != nil {
		return err
	}
	acc, x, y := op.Args[0], op.Args[1], op.Args[2]
	if r.Type.Lanes == 1 {
		e.neon("fmadd %s, %s, %s, %s", e.fp(r), e.fp(x), e.fp(y), e.fp(acc))
		return nil
	}
	e.Copy(r, acc)
	e.neon("fmla %s, %s, %s", e.v(r), e.v(x), e.v(y))
	return nil
}

// selectExtreme is max and min of scalars: legalize compares vectors. FMAX would make a NaN of
// one that is an operand.
func selectExtreme(e *emitter, op *emit.Op) error {
	r, x, y := op.Result(), e.fp(op.Args[0]), e.fp(op.Args[1])
	if err := computes(r.Type); err != nil {
		return err
	}
	cc := map[string]string{"max": "gt", "min": "mi"}[op.Def.Name]
	e.neon("fcmp %s, %s", x, y)
	e.neon("fcsel %s, %s, %s, %s", e.fp(r), x, y, cc)
	return nil
}

// roundings are the instructions that round.
var roundings = map[string]string{"rne": "frintn", "floor": "frintm", "ceil": "frintp", "trunc": "frintz"}

func selectRound(e *emitter, op *emit.Op) error {
	e.neon("%s %s, %s", roundings[op.Attr.Name], e.fp(op.Result()), e.fp(op.Args[0]))
	return nil
}
