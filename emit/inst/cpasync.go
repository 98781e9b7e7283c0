package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

var (
	toShared   = emit.Pointer(emit.Shared, 16)
	fromGlobal = emit.Pointer(emit.Global, 16)
)

// CpAsync copies 16 bytes past the registers and the L1 cache. Section
// 9.7.9.25.3.
var CpAsync = emit.Declare(emit.Instruction{
	Name: "cp.async.cg.shared.global",
	Doc:  "copies 16 bytes from global to shared memory, not before the wait_group that covers it",
	In:   []emit.Type{toShared, fromGlobal},
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, _ int64, in, _ [][]emit.Word) error {
		return issueCopy(m, transfer{addressOf(in[0][0]), addressOf(in[0][1]), 16, 0})
	},
	Text:  map[string]string{"ptx": "cp.async.cg.shared.global [{0}], [{1}], 16;"},
	Needs: "sm_80",
})

// CpAsyncZfill copies the first bytes of 16 and writes zeros after them: what the
// edge of a matrix needs. CpAsyncZfill4 and CpAsyncZfill8 are the same for 4 and 8 bytes, through
// the L1 cache: what a matrix needs whose rows begin anywhere. Section 9.7.9.25.3.
var (
	CpAsyncZfill  = cpAsyncZfill("cp.async.cg.shared.global", 16)
	CpAsyncZfill4 = cpAsyncZfill("cp.async.ca.shared.global", 4)
	CpAsyncZfill8 = cpAsyncZfill("cp.async.ca.shared.global", 8)
)

func cpAsyncZfill(vendor string, size int) *emit.Instruction {
	name := vendor + "/zfill"
	if size < 16 {
		name = fmt.Sprintf("%s/zfill%d", vendor, size)
	}
	return emit.Declare(emit.Instruction{
		Name: name,
		Doc:  fmt.Sprintf("copies operand 2 bytes, at most %d, from global to shared memory and fills up to %[1]d with zeros", size),
		In:   []emit.Type{emit.Pointer(emit.Shared, size), emit.Pointer(emit.Global, size), emit.Int32},
		Mem:  emit.Writes,
		Run: func(m *emit.Machine, _ int64, in, _ [][]emit.Word) error {
			n := in[0][2].Lane[0]
			if n > uint64(size) {
				return fmt.Errorf("the source has %d bytes, more than %d", n, size)
			}
			return issueCopy(m, transfer{addressOf(in[0][0]), addressOf(in[0][1]), int(n), size - int(n)})
		},
		Text:  map[string]string{"ptx": fmt.Sprintf("%s [{0}], [{1}], %d, {2};", vendor, size)},
		Needs: "sm_80",
	})
}

// CpAsyncCommit closes a group of copies, which may be empty. Section
// 9.7.9.25.3.
var CpAsyncCommit = emit.Declare(emit.Instruction{
	Name: "cp.async.commit_group",
	Doc:  "makes the copies that this thread issued since the last commit_group a group",
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, _ int64, _, _ [][]emit.Word) error {
		c := copiesOf(m)
		c.groups, c.open = append(c.groups, c.open), nil
		return nil
	},
	Text:  map[string]string{"ptx": "cp.async.commit_group;"},
	Needs: "sm_80",
})

// CpAsyncWait waits for the thread's own copies only: bar.sync must follow before
// another thread reads them. Section 9.7.9.25.3.
var CpAsyncWait = emit.Declare(emit.Instruction{
	Name: "cp.async.wait_group",
	Doc:  "waits until at most the imm newest groups of this thread are in flight",
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, imm int64, _, _ [][]emit.Word) error {
		c := copiesOf(m)
		for int64(len(c.groups)) > imm {
			for _, x := range c.groups[0] {
				if err := x.do(); err != nil {
					return err
				}
			}
			c.groups = c.groups[1:]
		}
		return nil
	},
	Text:  map[string]string{"ptx": "cp.async.wait_group {imm};"},
	Needs: "sm_80",
})

// copies are a thread's copies in flight, oldest group first.
type copies struct {
	open   []transfer
	groups [][]transfer
}

func copiesOf(m *emit.Machine) *copies {
	type key struct{ thread int }
	thread, _ := m.Group()
	return m.State(key{thread}, func() any { return &copies{} }).(*copies)
}

func issueCopy(m *emit.Machine, x transfer) error {
	if err := x.check(); err != nil {
		return err
	}
	if m.Soon() {
		return x.do()
	}
	c := copiesOf(m)
	c.open = append(c.open, x)
	return nil
}

// address is a byte in memory. Anything that outlives an instruction must not keep
// operands, which are registers that change.
type address struct {
	mem *emit.Memory
	off int64
}

func addressOf(w emit.Word) address { return address{w.Mem, w.Offset()} }

// transfer is a copy that has been issued.
type transfer struct {
	dst, src   address
	size, fill int // bytes to copy, zeros after them
}

// check reports at the instruction that issues the copy what would otherwise
// surface at the one that waits.
func (x transfer) check() error {
	if err := x.dst.mem.Bounds("writes", x.dst.off, x.size+x.fill); err != nil {
		return err
	}
	if x.size == 0 {
		return nil // no read, whatever the pointer
	}
	_, err := x.src.mem.Read(x.src.off, x.size)
	return err
}

func (x transfer) do() error {
	var data []byte
	if x.size > 0 {
		src, err := x.src.mem.Read(x.src.off, x.size)
		if err != nil {
			return err
		}
		data = src
	}
	return x.dst.mem.Write(x.dst.off, append(data[:len(data):len(data)], make([]byte, x.fill)...))
}
