package llvm

import (
	"fmt"
	"io"
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"

	"github.com/tilesmith/tilesmith/emit"
)

// Backend is LLVM IR as an [emit.Backend]. It prints for the targets of the amd64 and arm64
// backends, whose features it names to llc, and for any other target without names.
type Backend struct {
	// Opaque prints pointers as "ptr", which llc 15 and later want; llc 17 and later
	// take nothing else. The zero value names what they point to, as "float*", which
	// llc up to 16 takes.
	Opaque bool
}

var _ emit.Backend = Backend{}

// Name returns "llvm".
func (Backend) Name() string { return "llvm" }

// Passes returns the passes that prepare a function for Print. Addresses are left to
// LLVM.
func (Backend) Passes(emit.Target) []emit.Pass {
	return []emit.Pass{{Name: "fold", Run: emit.Fold}, {Name: "dce", Run: emit.DeadCode}}
}

// Can returns nil if Print takes f, else the [*emit.Error] that it would return.
func (b Backend) Can(t emit.Target, f *emit.Func) error {
	return newModule(b, t).add(f)
}

// Print writes header, whose lines must be comments of LLVM, which begin with ";", and
// one module with all functions.
func (b Backend) Print(w io.Writer, t emit.Target, header string, fs []*emit.Func) error {
	m := newModule(b, t)
	for _, f := range fs {
		if err := m.add(f); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, header+m.String())
	return err
}

// module is a file to be.
type module struct {
	types
	t          emit.Target
	m          *ir.Module
	attributes *ir.AttrGroupDef
	declared   map[string]*ir.Func
	tables     map[string]*ir.Global
	once       *metadata.Tuple // the mark of stores that are not temporal, if there are any
}

func newModule(b Backend, t emit.Target) *module {
	m := &module{types: types{b.Opaque}, t: t, m: ir.NewModule(), declared: map[string]*ir.Func{}, tables: map[string]*ir.Global{}}
	m.attributes = &ir.AttrGroupDef{FuncAttrs: attributes(t)}
	m.m.AttrGroupDefs = append(m.m.AttrGroupDefs, m.attributes)
	return m
}

// features are the names that LLVM has for what a target of an architecture may use.
var features = map[string]map[string]string{
	"amd64": {
		"avx2":   "+avx2,+fma,+f16c,+bmi,+bmi2",
		"avx512": "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+fma,+f16c,+bmi,+bmi2",

		"amxbf16":    "+amx-tile,+amx-bf16,+avx512bf16,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+fma,+f16c,+bmi,+bmi2",
		"amxint8":    "+amx-tile,+amx-int8,+avx512vnni,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+fma,+f16c,+bmi,+bmi2",
		"avxvnni":    "+avxvnni,+avx2,+fma,+f16c,+bmi,+bmi2",
		"avx512vnni": "+avx512vnni,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+fma,+f16c,+bmi,+bmi2",
		"avx512bf16": "+avx512bf16,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx2,+fma,+f16c,+bmi,+bmi2",
	},
	"arm64": {
		"neon":     "+neon",
		"neonfhm":  "+neon,+fullfp16,+fp16fml",
		"neondot":  "+neon,+dotprod",
		"neonbf16": "+neon,+bf16",
		"neoni8mm": "+neon,+dotprod,+i8mm",
	},
}

// attributes are those of every function: nothing unwinds, and vectors may be as wide
// as the target's registers, which LLVM otherwise avoids on some processors of amd64.
func attributes(t emit.Target) []ir.FuncAttribute {
	list := []ir.FuncAttribute{enum.FuncAttrNoUnwind}
	if f := features[t.Arch][t.Name]; f != "" {
		if t.Arch == "amd64" {
			list = append(list, ir.AttrPair{Key: "prefer-vector-width", Value: fmt.Sprint(t.Bits)})
		}
		list = append(list, ir.AttrPair{Key: "target-features", Value: f})
	}
	return list
}

// String returns the file.
func (m *module) String() string {
	var b strings.Builder
	if _, err := m.m.WriteTo(&b); err != nil {
		panic("llvm: " + err.Error()) // a strings.Builder takes everything
	}
	return b.String()
}
