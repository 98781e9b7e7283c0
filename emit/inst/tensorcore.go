package inst

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// core is what a warpgroup's tensor cores are doing. An async value is the name of
// an accumulator here, in the first lane, because its registers are not the
// threads' to see.
type core struct {
	fenced bool
	accs   map[uint64]*accumulator
	next   uint64
	open   []job   // issued since the last commit
	groups [][]job // committed, oldest first
}

type accumulator struct {
	name   uint64
	n      int
	x      []float32 // 64 rows of n
	flight int       // jobs that will still write it
}

// job is a multiplication that has been issued.
type job struct {
	acc       *accumulator
	a, b      descriptor
	overwrite bool // the sum begins at zero, not at acc
}

func coreOf(m *emit.Machine) *core {
	type key struct{ first int }
	first, _ := m.Group()
	return m.State(key{first}, func() any { return &core{accs: map[uint64]*accumulator{}, next: 1} }).(*core)
}

// enter makes an accumulator, with the values of the threads' registers if there
// are any, and puts its name into out.
func (c *core) enter(n int, in, out [][]emit.Word) *accumulator {
	acc := &accumulator{name: c.next, n: n, x: make([]float32, 64*n)}
	c.accs[c.next] = acc
	c.next++
	for t := range in {
		for i, x := range in[t][0].Lane {
			row, col := WgmmaD(t, i)
			acc.x[row*n+col] = float32(emit.F32.Decode(x))
		}
	}
	acc.mark(out)
	return acc
}

// mark makes out the name of acc; the other lanes get a NaN that is easy to
// recognise should it ever be seen.
func (a *accumulator) mark(out [][]emit.Word) {
	for t := range out {
		for i := range out[t][0].Lane {
			out[t][0].Lane[i] = 0x7fc0dead
		}
		out[t][0].Lane[0] = a.name
	}
}

// leave gives the threads their registers back.
func (c *core) leave(name uint64, imm int64, out [][]emit.Word) error {
	acc := c.accs[name]
	if acc == nil || acc.flight > 0 {
		return fmt.Errorf("wait_group %d leaves a multiplication in flight that writes this accumulator, or it was never committed", imm)
	}
	delete(c.accs, name)
	c.fenced = false // from here on, threads may touch registers
	for t := range out {
		for i := range out[t][0].Lane {
			row, col := WgmmaD(t, i)
			out[t][0].Lane[i] = emit.F32.Encode(float64(acc.x[row*acc.n+col]))
		}
	}
	return nil
}

// issue begins a multiplication whose descriptors are operands at and at+1.
func (c *core) issue(m *emit.Machine, acc *accumulator, in [][]emit.Word, at int, out [][]emit.Word) error {
	if acc == nil {
		return fmt.Errorf("the accumulator was not handed over by wgmma.fence")
	}
	if !c.fenced {
		return fmt.Errorf("a wgmma.fence is missing between an access to registers and this instruction")
	}
	for t := range in {
		if in[t][at].Lane[0] != in[0][at].Lane[0] || in[t][at+1].Lane[0] != in[0][at+1].Lane[0] {
			return fmt.Errorf("thread %d of the warpgroup has other descriptors than thread 0", t)
		}
	}
	j := job{acc, descriptor(in[0][at].Lane[0]), descriptor(in[0][at+1].Lane[0]), at == 0}
	acc.mark(out)
	acc.flight++
	c.open = append(c.open, j)
	if m.Soon() {
		return c.finish(m)
	}
	return nil
}

// finish completes everything that was issued, in order, as multiplications into
// one accumulator are.
func (c *core) finish(m *emit.Machine) error {
	for i := range c.groups {
		if err := doAll(m, &c.groups[i]); err != nil {
			return err
		}
	}
	return doAll(m, &c.open)
}

func doAll(m *emit.Machine, jobs *[]job) error {
	for _, j := range *jobs {
		if err := j.do(m.Shared); err != nil {
			return err
		}
	}
	*jobs = nil
	return nil
}

// wait completes all groups but the newest imm. Section 9.7.15.
func (c *core) wait(m *emit.Machine, imm int64) error {
	if imm < 0 || imm > 7 {
		return fmt.Errorf("at most 7 groups can be in flight, not %d", imm)
	}
	for int64(len(c.groups)) > imm {
		if err := doAll(m, &c.groups[0]); err != nil {
			return err
		}
		c.groups = c.groups[1:]
	}
	return nil
}

// do multiplies: only now is shared memory read.
func (j job) do(shared *emit.Memory) error {
	a, err := j.a.tile(shared, 64)
	if err != nil {
		return fmt.Errorf("A: %w", err)
	}
	b, err := j.b.tile(shared, j.acc.n)
	if err != nil {
		return fmt.Errorf("B: %w", err)
	}
	for row := range 64 {
		x := j.acc.x[row*j.acc.n:][:j.acc.n]
		for col := range x {
			if j.overwrite {
				x[col] = 0
			}
			x[col] = dot(x[col], a[row*16:row*16+16], b[col*16:])
		}
	}
	j.acc.flight--
	return nil
}
