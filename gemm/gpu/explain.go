package gpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Explain says how the kernel called name cuts a product, and what lies where in a stage of its
// multistage buffer. Each line begins with a word of up to ten letters. Explain returns "" for
// functions that neither multiply nor copy operands.
func (m *Module) Explain(name string) (string, error) {
	if m.Pad != nil && m.Pad.Name == name {
		return m.explainPad(), nil
	}
	i := slices.IndexFunc(m.Kernels, func(k Kernel) bool { return k.Func.Name == name })
	if i < 0 {
		return "", nil
	}
	k := m.Kernels[i]
	at, bytes, err := m.Stage(k)
	if err != nil {
		return "", err
	}
	t, size := k.Tile, gemm.ElemOf(m.A).Bytes()
	var s strings.Builder
	line := func(word, format string, args ...any) {
		fmt.Fprintf(&s, "%-11s"+format+"\n", append([]any{word}, args...)...)
	}
	line("tile", "%d x %d of out a CTA, %d x %d a warp, %d of K at a time, by %v", t.BM, t.BN, t.WM, t.WN, t.BK, m.Op)
	stored, meta := "", ""
	if o, ok := m.Op.(mmaSparse); ok {
		stored = fmt.Sprintf("; of %d along K %d are stored", t.BK, t.BK/2)
		word, each := "elements", o.chunk/2
		if each == 1 {
			word = "element"
		}
		meta = fmt.Sprintf("%s, %d for each 16 rows and %d of K in the order of package sparse24; four bits name the %d %s of %d neighbours that are stored",
			placed(at[2], 4, "words of 32 bits"), o.words, o.k, each, word, o.chunk)
	}
	line("stages", "%d of %d bytes in shared memory, one after the other", t.Stages, bytes)
	line("a", "%s", placed(at[0], size, m.A.String())+stored)
	line("b", "%s", placed(at[1], size, m.B.String()))
	if meta != "" {
		line("metadata", "%s", meta)
	}
	return s.String(), nil
}

// Stage returns where the elements of k's tiles are in a stage, those of a, of b and of what else there is. Element (mn, k) is
// counted from the start of its tile. bytes is the size of all.
func (m *Module) Stage(k Kernel) (at []layout.Swizzled, bytes int, err error) {
	for _, t := range tilesOf(m.Op.(operator), gemm.ElemOf(m.A).Bytes(), k) {
		l, err := t.layout()
		if err != nil {
			return nil, 0, err
		}
		at, bytes = append(at, l), bytes+t.bytes()
	}
	return at, bytes, nil
}

// placed says what a part of a stage is, and where its elements are.
func placed(at layout.Swizzled, size int, what string) string {
	return fmt.Sprintf("%d bytes of a stage: %s at %v", at.Size()*size, what, at)
}

// explainPad says what the kernel that copies operands does.
func (m *Module) explainPad() string {
	size := gemm.ElemOf(m.A).Bytes()
	return fmt.Sprintf("%-11san operand that only the kernel for any strides takes as it lies, to the stream's workspace with lines at multiples of %d bytes, ahead of the product\n", "copies", kernel.GPUPadAlign) +
		fmt.Sprintf("%-11sone line of the operand a warp, %d a CTA; %d elements of %d bytes in turn, %d in flight for a thread\n", "tile", kernel.GPUPadLinesOfCTA, 32*padsInFlight, size, padsInFlight) +
		fmt.Sprintf("%-11sa launch, and %d bytes read and written for an element; calls choose by the model: tilesmith gpu --predict\n", "costs", 2*size)
}
