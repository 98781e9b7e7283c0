package emit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Word is a value at run time: the bit pattern of each lane, register by
// register for a fragment. A pointer is a memory and, in Lane[0], the byte offset
// into it. The lanes that a [Meaning] gets are the registers themselves: they are
// its to read, and results its to write, only until it returns.
type Word struct {
	Lane []uint64
	Mem  *Memory
}

// PtrTo returns a pointer to the byte of mem at offset off.
func PtrTo(mem *Memory, off int64) Word { return Word{Lane: []uint64{uint64(off)}, Mem: mem} }

// IntWord returns an integer of any width.
func IntWord(n int64) Word { return Word{Lane: []uint64{uint64(n)}} }

// F32Word returns an f32.
func F32Word(x float32) Word { return Word{Lane: []uint64{uint64(math.Float32bits(x))}} }

// F64Word returns an f64.
func F64Word(x float64) Word { return Word{Lane: []uint64{math.Float64bits(x)}} }

// Offset returns the byte offset of a pointer.
func (w Word) Offset() int64 { return int64(w.Lane[0]) }

// Machine interprets functions: one CPU thread, or all threads of one CTA. The
// zero value is a CPU with nothing bound.
//
// Threads run one after the other, each until it has to wait. Instructions that finish
// later than they are issued (cp.async, wgmma, bulk copies) do so at the latest legal
// moment, when a wait would otherwise not be satisfied. So data that is used without
// its wait is old data, and a test sees it.
type Machine struct {
	Threads int             // 0 means 1
	Args    map[string]Word // the argument block
	Shared  *Memory         // what addresses in shared memory refer to
	// SRegs gives special registers; nil gives tid.x, ntid.x, laneid and warpid.
	SRegs func(name string, thread int) uint64
	// Early completes asynchronous instructions when they are issued, the other
	// extreme of what hardware may do.
	Early bool
	// Seed, if not 0, chooses at random the order in which threads run, and whether each
	// asynchronous instruction completes early, late or sometimes either. Some mistakes
	// show only if one kind is fast and another slow, such as giving back memory that is
	// still being read.
	Seed uint64
	// MaxSteps is how many operations are executed before giving up, those on more
	// than 256 lanes counted more than once; 0 means 50 million.
	MaxSteps int
	// MaxLanes is how many lanes the values of all threads may have; 0 means 1<<27,
	// which take 1 GB.
	MaxLanes int

	steps    int
	inst     *Instruction // being executed
	first, n int          // the threads executing it
	state    map[any]any
	random   *rand.Rand
}

// ErrRetry is what the [Meaning] of a waiting instruction returns while what it
// waits for has not happened. The interpreter executes it again after other threads
// have run. If none can run, that is a deadlock.
var ErrRetry = errors.New("emit: not yet")

// Bind sets a field of the argument block.
func (m *Machine) Bind(name string, w Word) {
	if m.Args == nil {
		m.Args = map[string]Word{}
	}
	m.Args[name] = w
}

// Group returns which threads execute the current instruction: n threads from
// first on.
func (m *Machine) Group() (first, n int) { return m.first, m.n }

// State returns what mk made the first time State was called with key in this
// run. Instructions keep there what is neither in a register nor in memory.
func (m *Machine) State(key any, mk func() any) any {
	if s, ok := m.state[key]; ok {
		return s
	}
	s := mk()
	m.state[key] = s
	return s
}

// Soon reports whether the asynchronous instruction that is being issued shall
// complete at once, and not when it is waited for.
func (m *Machine) Soon() bool {
	if m.Early || m.Seed == 0 {
		return m.Early
	}
	type key struct{ i *Instruction }
	habit := m.State(key{m.inst}, func() any { return m.random.IntN(3) }).(int)
	return habit == 0 || habit == 1 && m.random.IntN(2) == 0
}

// Run executes f. The error, if any, is an [*Error] that names the operation and
// the threads.
func (m *Machine) Run(f *Func) error {
	n := max(m.Threads, 1)
	m.steps, m.state, m.random = 0, map[any]any{}, rand.New(rand.NewPCG(m.Seed, 0))
	p, err := m.compile(f, n)
	if err != nil {
		return err
	}
	if n == 1 {
		return p.newThread(0).block(p.body)
	}
	return p.schedule(n)
}

// tick counts n steps.
func (m *Machine) tick(n int) error {
	limit := cmp.Or(m.MaxSteps, 50e6)
	if m.steps += n; m.steps > limit {
		return fmt.Errorf("gave up after %d steps", limit)
	}
	return nil
}

// program is a function made ready: operands are slots, operations are closures.
type program struct {
	m       *Machine
	f       *Func
	threads int
	slot    table[int]
	types   []Type // of the slots
	lanes   int    // of the slots
	fixed   []Word // of the slots that no operation writes: constants and arguments
	body    *block
	err     error
}

type block struct {
	steps []step
	yield []int
}

type step struct {
	op            *Op
	run           action
	args, results []int
	cost          int      // in steps
	in, out       [][]Word // of an instruction: for each thread of a group
}

// action executes one operation for one thread.
type action func(t *thread) error

// compile writes nothing into the function, so that one function can be
// interpreted by several goroutines.
func (m *Machine) compile(f *Func, threads int) (*program, error) {
	p := &program{m: m, f: f, threads: threads}
	p.body = p.block(f.Body)
	return p, p.err
}

func (p *program) refuse(op *Op, format string, args ...any) {
	if p.err == nil {
		p.err = p.f.Refuse(op, format, args...)
	}
}

func (p *program) define(vs []*Value) []int {
	out := make([]int, len(vs))
	for i, v := range vs {
		out[i] = len(p.types)
		p.slot.put(v, out[i])
		p.types = append(p.types, v.Type)
		p.lanes += v.Type.words()
		if limit := cmp.Or(p.m.MaxLanes, 1<<27); p.lanes > limit/p.threads {
			p.refuse(v.Op, "the values of %d threads have more than %d lanes together, and the interpreter keeps all", p.threads, limit)
		}
		p.fixed = append(p.fixed, Word{})
	}
	return out
}

func (p *program) use(op *Op, vs []*Value) []int {
	out := make([]int, len(vs))
	for i, v := range vs {
		s, ok := p.slot.get(v)
		if !ok {
			p.refuse(op, "operand %d is used before it is defined", i)
		}
		out[i] = s
	}
	return out
}

func (p *program) block(b *Block) *block {
	c := &block{}
	p.define(b.Args)
	for _, op := range b.Ops {
		if op.Def.Name == "yield" {
			c.yield = p.use(op, op.Args)
			continue
		}
		if op.Def.Type != nil {
			if err := op.Def.Type(op); err != nil {
				p.refuse(op, "%v", err)
				return c
			}
		}
		s := step{op: op, args: p.use(op, op.Args)}
		var blocks []*block
		for _, in := range op.Blocks {
			blocks = append(blocks, p.block(in))
		}
		s.results = p.define(op.Results)
		if p.err != nil {
			return c
		}
		s.cost = 1
		for _, v := range slices.Concat(op.Args, op.Results) {
			s.cost += v.Type.words() / 256
		}
		c.steps = append(c.steps, s)
		last := &c.steps[len(c.steps)-1]
		switch mk := actions[op.Def.Name]; {
		case mk != nil:
			last.run = mk(p, last, blocks)
		case op.meaning() != nil:
			last.run = p.lanewise(last)
		default:
			p.refuse(op, "the interpreter does not know this operation")
		}
		if last.run == nil { // a constant: nothing happens at run time
			c.steps = c.steps[:len(c.steps)-1]
		}
	}
	return c
}

// thread is one thread's values and, if there are several threads, what it waits
// for.
type thread struct {
	m  *Machine
	p  *program
	id int
	v  []Word
	x  [4]uint64 // the operands of one lane

	suspend func() bool // lets others run; nil if there are none
	at      *step       // what the thread waits at
	done    bool
	err     error
}

// newThread gives every slot memory of its own: an operation writes its result
// there each time it is executed.
func (p *program) newThread(id int) *thread {
	t := &thread{m: p.m, p: p, id: id, v: make([]Word, len(p.types))}
	n := 0
	for _, ty := range p.types {
		n += ty.words()
	}
	lanes := make([]uint64, n)
	for i, ty := range p.types {
		if t.v[i] = p.fixed[i]; t.v[i].Lane == nil {
			n := ty.words()
			t.v[i].Lane, lanes = lanes[:n:n], lanes[n:]
		}
	}
	return t
}

func (t *thread) block(b *block) error {
	for i := range b.steps {
		s := &b.steps[i]
		err := t.m.tick(s.cost)
		if err == nil {
			err = s.run(t)
		}
		if err != nil {
			return t.p.fail(s.op, t.id, 1, err)
		}
	}
	return nil
}

// fail names the operation and the threads in err, unless an operation inside
// has done so.
func (p *program) fail(op *Op, first, n int, err error) error {
	if AsError(err) != nil || err == errStopped {
		return err
	}
	if p.threads == 1 {
		return p.f.Refuse(op, "%v", err)
	}
	return p.f.Refuse(op, "%s: %v", threadNames(first, n), err)
}

func threadNames(first, n int) string {
	if n == 1 {
		return fmt.Sprintf("thread %d", first)
	}
	return fmt.Sprintf("threads %d-%d", first, first+n-1)
}

// set stores w in a slot; the lanes are copied, so that the slot keeps its memory.
func (t *thread) set(slot int, w Word) {
	copy(t.v[slot].Lane, w.Lane)
	t.v[slot].Mem = w.Mem
}
