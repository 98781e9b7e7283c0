package asm

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
)

// Spilling. If a block needs more registers than there are, values wait in the
// function's frame. The register whose value is used last is freed (Belady, "A study of
// replacement algorithms for a virtual-storage computer", 1966). Constants come from
// memory anyway, and are loaded again. A value that other blocks also use stays in its
// register.

// spills and reloads store a value and load it again, by its type. In between it is a
// value without a register; the immediate is its place in the frame.
var spills, reloads = map[emit.Type]*emit.Instruction{}, map[emit.Type]*emit.Instruction{}

func init() {
	move := func(t emit.Type, name, doc string) *emit.Instruction {
		return emit.Declare(emit.Instruction{Name: fmt.Sprintf("frame.%s.%v", name, t), Doc: doc, In: []emit.Type{t}, Out: []emit.Type{t},
			Run: func(_ *emit.Machine, _ int64, in, out [][]emit.Word) error {
				out[0][0] = in[0][0]
				return nil
			}})
	}
	for e := emit.I1; e <= emit.F64; e++ {
		for lanes := 1; lanes <= 64 && lanes*e.Bits() <= 512; lanes *= 2 {
			t := emit.Vector(e, lanes)
			if lanes == 1 && e != emit.F32 && e != emit.F64 || e == emit.F8E4M3 || e == emit.F8E5M2 || e != emit.I1 && t.Bits() < 32 {
				continue
			}
			spills[t] = move(t, "spill", "a register to the frame")
			reloads[t] = move(t, "reload", "a register from the frame")
		}
	}
}

// IsSpill reports whether op moves a value between its register and the frame.
func IsSpill(op *emit.Op) bool {
	return op.Inst != nil && len(op.Args) == 1 && (spills[op.Args[0].Type] == op.Inst || reloads[op.Args[0].Type] == op.Inst)
}

// IsSlot reports whether v is in the frame.
func IsSlot(v *emit.Value) bool {
	return v.Op != nil && v.Op.Inst != nil && spills[v.Type] == v.Op.Inst
}

// nosplitFrame is how large a frame may be without a check that the stack has room for
// it. The linker allows 800 bytes for a chain of calls.
const nosplitFrame = 640

// inFrame is how much of the frame a value takes.
func inFrame(t emit.Target, v *emit.Value) int {
	switch {
	case IsMask(v.Type) && t.Bits == 512:
		return 8
	case IsMask(v.Type):
		return min(32, t.Bits/8)
	}
	return max(16, v.Type.Bytes())
}

// FrameSize is the size of f's frame.
func FrameSize(t emit.Target, f *emit.Func) int {
	size := 0
	f.Body.Walk(func(op *emit.Op) {
		if IsSpill(op) {
			size = max(size, int(op.Attr.Imm)+inFrame(t, op.Args[0]))
		}
	})
	f.Body.Walk(func(op *emit.Op) {
		if op.Inst == inst.Scratch {
			size = (size+63)&^63 + int(op.Attr.Imm)
		}
	})
	return size
}

// ScratchAt is the place in the frame of the memory that op asks for: behind what is
// spilled.
func (l *Live) ScratchAt(op *emit.Op) int {
	at := 0
	l.F.Body.Walk(func(o *emit.Op) {
		if IsSpill(o) {
			at = max(at, int(o.Attr.Imm)+inFrame(l.T, o.Args[0]))
		}
	})
	found := false
	l.F.Body.Walk(func(o *emit.Op) {
		if o.Inst == inst.Scratch && !found {
			at = (at + 63) &^ 63
			if found = o == op; !found {
				at += int(o.Attr.Imm)
			}
		}
	})
	return at
}

// Spill makes f find registers, if it may spill. Fewer registers than there are are
// counted on in turn, since an assignment is not always found with as many as are
// needed at once.
func (m *Machine) Spill(t emit.Target, f *emit.Func) error {
	if !f.Spills {
		return nil
	}
	if _, err := Allocate(m, t, f); err == nil {
		return nil
	}
	for less := range 5 {
		c := f.Clone()
		frame := 0
		for _, cls := range []Class{Mask, Vec} {
			if err := spillClass(m, t, c, cls, m.Registers(t, cls)-less, &frame); err != nil {
				return err
			}
		}
		if _, err := Allocate(m, t, c); err == nil {
			f.Body = c.Body
			break
		}
	}
	f.Number()
	return nil // if nothing helped, printing will say what is wrong
}

// spiller works on the registers of one class.
type spiller struct {
	*Alloc
	cls    Class
	budget int
	frame  *int
	always []int // by position: how many registers of the class are not the spiller's
}

func spillClass(m *Machine, t emit.Target, f *emit.Func, cls Class, budget int, frame *int) error {
	f.Number()
	a, err := coalesced(m, t, f)
	if err != nil {
		return err
	}
	s := &spiller{Alloc: a, cls: cls, budget: budget, frame: frame, always: make([]int, a.next+2)}
	local := s.locals(f.Body, map[*emit.Value]bool{})
	mine := make([]bool, len(a.Webs)) // webs of local values alone
	for id := range a.Webs {
		mine[a.Find(id)] = true
	}
	f.Body.Walk(func(op *emit.Op) {
		for _, v := range op.Results {
			if !local[v] {
				mine[a.Find(v.ID)] = false
			}
		}
		for _, in := range op.Blocks {
			for _, v := range in.Args {
				mine[a.Find(v.ID)] = false
			}
		}
		for _, id := range a.Temps[op] {
			mine[a.Find(id)] = false
		}
	})
	for id, w := range a.Webs {
		if a.Find(id) != id || w.Cls != cls || mine[id] {
			continue
		}
		for _, sp := range w.Spans {
			for p := sp.from; p < sp.to && p < len(s.always); p++ {
				s.always[p]++
			}
		}
	}
	var visit func(b *emit.Block)
	visit = func(b *emit.Block) {
		for _, op := range b.Ops {
			for _, in := range op.Blocks {
				visit(in)
			}
		}
		s.block(b, local)
	}
	visit(f.Body)
	f.Number()
	return nil
}

// locals returns the values of the class that are used in their own block only.
func (s *spiller) locals(b *emit.Block, local map[*emit.Value]bool) map[*emit.Value]bool {
	for _, op := range b.Ops {
		for _, r := range op.Results {
			local[r] = len(op.Blocks) == 0 && spills[r.Type] != nil && (s.Live.Cls[r.ID] == s.cls || IsConst(r)) && !IsSlot(r)
		}
		for _, in := range op.Blocks {
			s.locals(in, local)
			in.Walk(func(inner *emit.Op) {
				for _, v := range inner.Args {
					if defines(b, v) {
						local[v] = false
					}
				}
			})
		}
	}
	return local
}

// defines reports whether an operation of b itself makes v.
func defines(b *emit.Block, v *emit.Value) bool {
	return v.Op != nil && slices.Contains(b.Ops, v.Op)
}

// blockState is where the values of one block are.
type blockState struct {
	uses  map[*emit.Value][]int       // positions still to come, in the block
	held  []*emit.Value               // in registers, in the order in which they came
	now   map[*emit.Value]*emit.Value // what stands for a value since its last reload
	slots map[*emit.Value]*emit.Value
	place map[*emit.Value]int
	free  map[int][]int // places in the frame, by size
	out   []*emit.Op
}

func (s *spiller) block(b *emit.Block, local map[*emit.Value]bool) {
	st := &blockState{uses: map[*emit.Value][]int{}, now: map[*emit.Value]*emit.Value{}, slots: map[*emit.Value]*emit.Value{}, place: map[*emit.Value]int{}, free: map[int][]int{}}
	immediates := map[*emit.Value]bool{} // constants that are part of instructions
	for i, op := range b.Ops {
		for j, v := range op.Args {
			switch {
			case !local[v]:
			case IsConst(v) && s.M.immediate(op, j):
				immediates[v] = true
			default:
				st.uses[v] = append(st.uses[v], i)
			}
		}
	}
	for i, op := range b.Ops {
		if r := op.Result(); r != nil && IsConst(r) && local[r] && s.M.File(s.T, r.Type) == s.cls && st.uses[r] != nil {
			if immediates[r] {
				st.out = append(st.out, op)
			}
			continue // loaded where it is used
		}
		base := s.always[min(s.At[op], len(s.always)-1)]
		var operands []*emit.Value
		for j, v := range op.Args {
			if len(st.uses[v]) > 0 && s.M.File(s.T, v.Type) == s.cls && !s.M.immediate(op, j) && !slices.Contains(operands, v) {
				operands = append(operands, v)
			}
		}
		for _, v := range operands {
			if !slices.Contains(st.held, v) {
				s.room(st, op, operands, base)
				s.load(st, op, v)
			}
		}
		for j, v := range op.Args {
			if w := st.now[v]; w != nil && !s.M.immediate(op, j) {
				op.Args[j] = w
			}
		}
		if len(op.Blocks) > 0 { // what goes through has no register inside
			s.clear(st, op, operands)
		}
		r := op.Result()
		made := r != nil && local[r] && !IsConst(r) && s.Live.Cls[r.ID] == s.cls
		if made || len(op.Results) > 0 || len(s.Temps[op]) > 0 {
			s.room(st, op, operands, max(base, s.always[min(s.At[op]+1, len(s.always)-1)]))
		}
		st.out = append(st.out, op)
		for _, v := range operands {
			for len(st.uses[v]) > 0 && st.uses[v][0] <= i {
				st.uses[v] = st.uses[v][1:]
			}
			switch {
			case len(st.uses[v]) == 0:
				s.drop(st, v)
			case len(op.Blocks) > 0:
				st.held = slices.DeleteFunc(st.held, func(w *emit.Value) bool { return w == v })
			}
		}
		if made && len(st.uses[r]) > 0 {
			st.held = append(st.held, r)
		}
	}
	b.Ops = st.out
}

// room makes one register free before op, by moving out what is used last of what op
// does not take.
func (s *spiller) room(st *blockState, op *emit.Op, operands []*emit.Value, base int) {
	for len(st.held)+base+1 > s.budget {
		last := -1
		for i, v := range st.held {
			if !slices.Contains(operands, v) && (last < 0 || st.uses[v][0] > st.uses[st.held[last]][0]) {
				last = i
			}
		}
		if last < 0 {
			return
		}
		v := st.held[last]
		st.held = slices.Delete(st.held, last, last+1)
		s.store(st, op, v)
	}
}

// clear puts all values into the frame before op, which owns blocks. Its own operands
// stay in registers too.
func (s *spiller) clear(st *blockState, op *emit.Op, operands []*emit.Value) {
	for _, v := range st.held {
		s.store(st, op, v)
	}
	st.held = slices.Clone(operands)
}

// store puts v into the frame before op, if it is not there.
func (s *spiller) store(st *blockState, op *emit.Op, v *emit.Value) {
	if IsConst(v) || st.slots[v] != nil {
		return
	}
	size := inFrame(s.T, v)
	if list := st.free[size]; len(list) > 0 {
		st.place[v], st.free[size] = list[len(list)-1], list[:len(list)-1]
	} else {
		st.place[v] = *s.frame
		*s.frame += size
	}
	from := v
	if w := st.now[v]; w != nil {
		from = w
	}
	o := NewOp(op, "inst", emit.Attr{Imm: int64(st.place[v])}, spills[v.Type], v.Type, from)
	st.out = append(st.out, o)
	st.slots[v] = o.Result()
}

// load brings v into a register before op.
func (s *spiller) load(st *blockState, op *emit.Op, v *emit.Value) {
	var made *emit.Op
	if IsConst(v) {
		made = NewOp(v.Op, "const", v.Op.Attr, nil, v.Type)
	} else {
		made = NewOp(op, "inst", emit.Attr{Imm: int64(st.place[v])}, reloads[v.Type], v.Type, st.slots[v])
	}
	st.out = append(st.out, made)
	st.now[v] = made.Result()
	st.held = append(st.held, v)
}

// drop forgets a value that is not used any more.
func (s *spiller) drop(st *blockState, v *emit.Value) {
	st.held = slices.DeleteFunc(st.held, func(w *emit.Value) bool { return w == v })
	if st.slots[v] != nil {
		size := inFrame(s.T, v)
		st.free[size] = append(st.free[size], st.place[v])
	}
}
