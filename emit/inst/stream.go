package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// Stream returns the instruction that stores a vector t past the caches. Operands are
// the vector and a pointer, which is with imm a multiple of its size. It saves reading lines that
// are overwritten whole. [StreamFence] has to follow before another thread is told that
// the data are there. Intel SDM volume 2, MOVNTPS; volume 1, section 10.4.6.2.
func Stream(t emit.Type) *emit.Instruction { return streams[t] }

var streams = map[emit.Type]*emit.Instruction{}

func init() {
	for _, bits := range []int{256, 512} {
		for _, e := range []emit.Elem{emit.F32, emit.F64} {
			t := emit.Vector(e, bits/e.Bits())
			streams[t] = stream(t, map[emit.Elem]string{emit.F32: "VMOVNTPS", emit.F64: "VMOVNTPD"}[e])
		}
	}
}

func stream(t emit.Type, mnemonic string) *emit.Instruction {
	return emit.Declare(emit.Instruction{
		Name: "amd64.stream." + t.String(),
		Doc:  fmt.Sprintf("stores a %v past the caches, to a pointer + imm, a multiple of %d bytes", t, t.Bytes()),
		In:   []emit.Type{t, emit.Ptr}, Mem: emit.Writes,
		Run: func(_ *emit.Machine, imm int64, in, _ [][]emit.Word) error {
			to, size := in[0][1], t.Elem.Bytes()
			at := to.Offset() + imm
			if to.Mem != nil && (to.Mem.Base+uint64(at))%uint64(t.Bytes()) != 0 {
				return fmt.Errorf("offset %d of %s is not a multiple of %d bytes", at, to.Mem.Name, t.Bytes())
			}
			b := make([]byte, 0, t.Bytes())
			for _, x := range in[0][0].Lane {
				for j := range size {
					b = append(b, byte(x>>(8*j)))
				}
			}
			if err := to.Mem.Bounds("writes", at, len(b)); err != nil {
				return err
			}
			return to.Mem.Write(at, b)
		},
		Text: map[string]string{"amd64": mnemonic + " {0}, {imm}({1})"},
	})
}

// StreamFence orders streamed stores before those that follow. Intel SDM volume 2,
// SFENCE; DDI 0487, DMB ISHST.
var StreamFence = emit.Declare(emit.Instruction{
	Name: "cpu.fence",
	Doc:  "orders stores past the caches before later ones",
	Mem:  emit.Writes,
	Run:  func(*emit.Machine, int64, [][]emit.Word, [][]emit.Word) error { return nil },
	Text: map[string]string{"amd64": "SFENCE", "arm64": "DMB $0xa"},
})
