package emucmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// An emuLaunch is a kernel with its arguments, ready to run.
type emuLaunch struct {
	file, text string
	kernel     emu.Kernel
	grid       cuda.Grid
	args       []*emuArg
	o          emuFlags
}

// emuRun executes a kernel, as often as is asked for, and reports.
func emuRun(con *cli.Console, file string, words []string, o emuFlags) error {
	defer con.Bar.Stop()
	l, err := newEmuLaunch(file, words, o)
	if err != nil {
		return err
	}
	r := l.newReport()
	var fault error
	for i := range o.seeds {
		con.Bar.Say("%s, order %d of %d", l.kernel.Name, i+1, o.seeds)
		dev := l.o.device
		dev.Seed += uint64(i)
		err := cli.Abandon(con.Ctx, func() error { return l.once(dev, i == o.seeds-1, r) })
		if con.Ctx.Err() != nil {
			return fmt.Errorf("%w while %s ran", context.Cause(con.Ctx), l.kernel.Name)
		}
		if fault = l.faulted(r, dev.Seed, err); fault != nil {
			break
		}
		if err != nil {
			return err
		}
	}
	con.Bar.Stop()
	if err := r.printAs(con.Out, con.Log, o); err != nil {
		return err
	}
	if fault != nil {
		return fault
	}
	return r.mismatch()
}

func newEmuLaunch(file string, words []string, o emuFlags) (*emuLaunch, error) {
	text, err := readPTX(file)
	if err != nil {
		return nil, err
	}
	kernels, err := emu.Kernels(text)
	if err != nil {
		return nil, placed(file, err)
	}
	if o.arch == "" {
		o.device.Major, o.device.Minor = capability(text)
	}
	l := &emuLaunch{file: file, text: text, o: o}
	if l.kernel, err = pickKernel(file, kernels, o.kernel); err != nil {
		return nil, cli.Usage(err)
	}
	if l.grid.Blocks, err = dimensions("--grid", o.grid); err != nil {
		return nil, cli.Usage(err)
	}
	if l.grid.Threads, err = dimensions("--block", o.block); o.block != "" && err != nil {
		return nil, cli.Usage(err)
	}
	if o.block == "" {
		if !l.kernel.Exact {
			return nil, cli.Usagef("%s has no .reqntid: say how many threads a block has, as in --block 256", l.kernel.Name)
		}
		l.grid.Threads = l.kernel.Threads
	}
	l.grid.Shared = o.shared
	room := o.device.MaxBytes
	var saves []string
	for _, w := range words {
		a, err := readArg(w, &room)
		if err != nil {
			return nil, err
		}
		if a.save != "" {
			if err := outfile.Check(a.save); err != nil {
				return nil, fmt.Errorf("argument %s: %w", w, err)
			}
		}
		l.args, saves = append(l.args, a), append(saves, a.save)
	}
	if err := cli.Apart(saves...); err != nil {
		return nil, err
	}
	return l, l.fit()
}

// capability is that of a GPU for PTX text: 9.0, or its target if that is newer and
// emulated.
func capability(text string) (major, minor int) {
	h, err := cuda.ReadHeader(text)
	if err != nil || h.Major < 10 || h.Major > 12 {
		return 9, 0
	}
	return h.Major, h.Minor
}

func pickKernel(file string, kernels []emu.Kernel, name string) (emu.Kernel, error) {
	var names []string
	for _, k := range kernels {
		if k.Name == name || name == "" && len(kernels) == 1 {
			return k, nil
		}
		if names = append(names, k.Name); len(names) > 8 {
			names = append(names[:8], "…")
			break
		}
	}
	switch {
	case len(kernels) == 0:
		return emu.Kernel{}, fmt.Errorf("%s has no kernel, which begins with .entry", file)
	case name == "":
		return emu.Kernel{}, fmt.Errorf("%s has %d kernels; pick one with --kernel: %s", file, len(kernels), strings.Join(names, ", "))
	}
	return emu.Kernel{}, fmt.Errorf("--kernel %s: %s has %s", name, file, strings.Join(names, ", "))
}

// fit refuses arguments that are not those of the kernel.
func (l *emuLaunch) fit() error {
	params := l.kernel.Params
	if len(l.args) != len(params) {
		var list []string
		for _, p := range params {
			list = append(list, declared(p))
		}
		return cli.Usagef("%s has %d parameters and there are %d arguments: (%s)", l.kernel.Name, len(params), len(l.args), strings.Join(list, ", "))
	}
	for i, a := range l.args {
		p := params[i]
		n := len(a.bytes)
		if !a.scalar {
			n = 8
		}
		float := p.Type[0] == 'f'
		switch {
		case n != p.Bytes && a.scalar:
			return cli.Usagef("argument %d, %s, has %d bytes; %s of %s has %d", i+1, a.text, n, declared(p), l.kernel.Name, p.Bytes)
		case n != p.Bytes || !a.scalar && float:
			return cli.Usagef("argument %d, %s, is a pointer, but %s of %s is not", i+1, a.text, declared(p), l.kernel.Name)
		case a.scalar && !p.Array && p.Type[0] != 'b' && float == a.elem.integer && !strings.HasPrefix(a.text, "value:"):
			return cli.Usagef("argument %d, %s, is an %s; %s of %s is another kind of number", i+1, a.text, a.elem.name, declared(p), l.kernel.Name)
		}
	}
	return nil
}

// once runs the kernel on a device of its own. The last run saves and compares.
func (l *emuLaunch) once(o emu.Options, last bool, r *emuReport) error {
	d, err := emu.Open(o)
	if err != nil {
		return cli.Usage(err)
	}
	defer d.Close()
	m, err := d.Load(l.text)
	if err != nil {
		return placed(l.file, err)
	}
	f, err := m.Function(l.kernel.Name)
	if err != nil {
		return placed(l.file, err)
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	var p cuda.Params
	mem := make([]cuda.Memory, len(l.args))
	for i, a := range l.args {
		if !a.scalar {
			if mem[i], err = d.Alloc(int64(a.size())); err != nil {
				return err
			}
			d.Name(mem[i], fmt.Sprintf("argument %d, %s,", i+1, a.text))
			if err := s.Write(mem[i], 0, a.data); err != nil {
				return err
			}
			p.Pointer(mem[i].Address())
			continue
		}
		p.Bytes(a.bytes, l.kernel.Params[i].Align)
	}
	if err := f.Launch(s, l.grid, p.Block()); err != nil {
		return cli.Usage(err)
	}
	ran := s.Synchronize()
	r.Counters = d.Report()
	if ran != nil {
		return ran
	}
	for i, a := range l.args {
		if !a.written {
			continue
		}
		out := make([]byte, a.size())
		if err := s.Read(out, mem[i], 0); err != nil {
			return err
		}
		first, n, err := d.Unwritten(mem[i])
		if err != nil {
			return err
		}
		if err := r.result(i, a, out, first, n, l.o); err != nil {
			return err
		}
		if last && a.save != "" {
			if err := writeArray(a.save, mtx.RawNPY{Kind: a.elem.npy, Shape: a.shape, Data: out}); err != nil {
				return err
			}
		}
	}
	return nil
}

// placed is an error of PTX text as compilers write it: file:line:column.
func placed(file string, err error) error {
	if r := (*emu.Refusal)(nil); errors.As(err, &r) {
		return fmt.Errorf("%s:%d:%d: %s: `%s`", file, r.Line, r.Column, r.Msg, r.Text)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// faulted puts a fault of the kernel into the report, and returns it as file:line: what.
// It returns nil if err is none.
func (l *emuLaunch) faulted(r *emuReport, seed uint64, err error) error {
	var f *emu.Fault
	if !errors.As(err, &f) {
		return nil
	}
	r.Fault = newEmuFault(f, seed)
	if f.Line == 0 {
		return fmt.Errorf("%s: %w", l.file, f)
	}
	return fmt.Errorf("%s:%d: %w", l.file, f.Line, f)
}
