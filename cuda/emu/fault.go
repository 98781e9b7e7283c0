package emu

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/cuda"
)

// A FaultKind is the kind of what a kernel did wrong.
type FaultKind string

const (
	Race          FaultKind = "race"          // two accesses that nothing orders, one of them a write; threads may store the same value by the same instruction
	InFlight      FaultKind = "in flight"     // memory used while an asynchronous copy still reads or writes it
	Bounds        FaultKind = "bounds"        // outside of every buffer, or of shared memory
	Misaligned    FaultKind = "misaligned"    // an address that the instruction does not take
	UninitReg     FaultKind = "uninit reg"    // a register that was never written
	UninitMemory  FaultKind = "uninit memory" // bytes that were never written
	Diverged      FaultKind = "diverged"      // part of a warp where all of it is wanted
	BadBarrier    FaultKind = "barrier"       // misuse of bar or mbarrier
	Deadlock      FaultKind = "deadlock"      // every thread waits
	Limit         FaultKind = "limit"         // more steps or memory than allowed
	Unimplemented FaultKind = "unimplemented" // what the emulator cannot execute
	Undefined     FaultKind = "undefined"     // an operand for which an instruction has no meaning
	Trapped       FaultKind = "trap"          // the instruction trap, or an address that makes no sense
)

// An Access is one side of a race.
type Access struct {
	Does   string `json:"does"`             // "wrote", "read" …
	Line   int    `json:"line"`             // of the PTX text
	Text   string `json:"text"`             // of that line
	Source string `json:"source,omitempty"` // where .loc says that it comes from, as in dot.h:12:5, inlined at kernel.cu:40:9, or ""
	Block  [3]int `json:"block"`
	Thread [3]int `json:"thread"`
}

// A Fault is something that a kernel did wrong: what [cuda.Stream] reports of it. It
// wraps [cuda.ErrLaunch].
type Fault struct {
	Kind   FaultKind
	Kernel string
	Block  [3]int
	Thread [3]int // of the first thread concerned; -1 if it is no thread's
	Line   int    // of the PTX text, from 1
	Text   string // of that line
	Source string // where .loc says that it comes from, as in dot.h:12:5, inlined at kernel.cu:40:9, or ""
	Msg    string
	Other  *Access // of a race: the access before
	Note   string  // what a stranger may want to know of it, "" if nothing
}

func (f *Fault) Unwrap() error { return cuda.ErrLaunch }

func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", f.Kernel)
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d `%s`%s: ", f.Line, f.Text, from(f.Source))
	}
	fmt.Fprintf(&b, "block %s", triple(f.Block))
	if f.Thread[0] >= 0 {
		fmt.Fprintf(&b, " thread %s", triple(f.Thread))
	}
	fmt.Fprintf(&b, ": %s: %s", f.Kind, f.Msg)
	if o := f.Other; o != nil {
		fmt.Fprintf(&b, "; thread %s", triple(o.Thread))
		if o.Block != f.Block {
			fmt.Fprintf(&b, " of block %s", triple(o.Block))
		}
		fmt.Fprintf(&b, " %s it on line %d `%s`%s", o.Does, o.Line, o.Text, from(o.Source))
	}
	if f.Note != "" {
		fmt.Fprintf(&b, "; note: %s", f.Note)
	}
	return b.String()
}

// from writes the source of a line behind it.
func from(source string) string {
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}

// triple writes (1,2,3), and less where the rest is 0.
func triple(v [3]int) string {
	switch {
	case v[2] != 0:
		return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2])
	case v[1] != 0:
		return fmt.Sprintf("(%d,%d)", v[0], v[1])
	}
	return fmt.Sprint(v[0])
}

// coordinates turns a number into coordinates of a grid or a block.
func coordinates(n int, dim [3]int) [3]int {
	return [3]int{n % dim[0], n / dim[0] % dim[1], n / dim[0] / dim[1]}
}

// fault stops the launch: lane of w did something wrong at its instruction. It is
// recovered where the block is run.
func (w *warp) fault(kind FaultKind, lane int, format string, args ...any) {
	panic(w.newFault(kind, lane, fmt.Sprintf(format, args...)))
}

func (w *warp) newFault(kind FaultKind, lane int, msg string) *Fault {
	c := w.cta
	line := c.prog.code[w.pc].line
	return &Fault{Kind: kind, Kernel: c.prog.name, Block: c.id, Thread: coordinates(w.id*32+lane, c.launch.grid.Threads),
		Line: line, Text: c.prog.lineText(line), Source: c.prog.module.where(c.prog.code[w.pc].source), Msg: msg}
}

// racing is the fault of a conflict with what t recorded.
func (w *warp) racing(lane int, does string, t *trace) {
	c := w.cta
	kind, why, did := Race, "and nothing orders the two", accessVerbs[t.kind]
	switch {
	case t.waited(c) && t.kind == asyncWrite:
		did = accessVerbs[plainWrite]
	case t.waited(c) && t.kind == asyncRead:
		did = accessVerbs[plainRead]
	case t.kind == asyncWrite:
		kind, why = InFlight, "which an asynchronous copy writes that was not waited for"
	case t.kind == asyncRead:
		kind, why = InFlight, "which an asynchronous copy still reads"
	case t.kind == constRead || w.act.t.kind == constRead:
		why = "which .nc promises that nothing writes while the kernel runs"
	}
	f := w.newFault(kind, lane, does+", "+why)
	if c.swapsRead(w.act.t.kind, w.pc, t) || c.swapsRead(t.kind, int(t.pc), &w.act.t) {
		f.Note = swapNote
	}
	line := c.prog.code[t.pc].line
	other := t.thread(c)*32 + t.firstLane(w, lane)
	f.Other = &Access{Block: coordinates(int(t.cta), c.launch.grid.Blocks), Thread: coordinates(other, c.launch.grid.Threads),
		Line: line, Text: c.prog.lineText(line), Source: c.prog.module.where(c.prog.code[t.pc].source), Does: did}
	panic(f)
}

// waited reports whether the threads that t copied for waited for it: it is a race then of what they did. It is of
// another block, too, of which nothing else is known.
func (t *trace) waited(c *cta) bool {
	if int(t.cta) != c.order {
		return true
	}
	w := c.warps[t.thread(c)]
	for i := range lanesOf(t.lanes) {
		if w.waited[i] < t.clock {
			return false
		}
	}
	return true
}

// swapNote is of the race that NVIDIA's compilers make.
const swapNote = "a plain load before a compare-and-swap loop is how CUDA's headers write an atomicAdd that the target lacks, as of bf16 below sm_90; " +
	"by PTX's memory model it is a race; GPUs load an aligned word whole, and a stale one only repeats the loop; ld.relaxed is no race, nor is the instruction of a newer target"

// swapsRead reports whether an access of kind by the instruction at pc is a plain load, and
// t a compare-and-swap.
func (c *cta) swapsRead(kind accessKind, pc int, t *trace) bool {
	return kind == plainRead && t.kind == atomicOp && c.prog.code[pc].origins.op == "ld" && c.prog.code[t.pc].swaps
}

var accessVerbs = [...]string{plainRead: "read", plainWrite: "wrote", atomicOp: "updated", strongRead: "read", asyncWrite: "began to copy to", asyncRead: "began to copy from", constRead: "read"}
