package sweepcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/specfile"
	"github.com/tilesmith/tilesmith/internal/child"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// goCommand runs the go command in the user's folder, with its own temporary files among
// ours: it does not remove them whenever it is interrupted.
func (p *userPackage) goCommand(out, log io.Writer, env []string, args ...string) error {
	cmd := child.Command(p.ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, out, log
	cmd.Env = append(append(specfile.HostEnv(), "PWD="+p.dir, "GOTMPDIR="+p.tmp), env...)
	return specfile.Child(cli.Settle(p.ctx, child.Run(cmd)), "go "+args[0])
}

// all generates, builds and runs, and leaves nothing behind.
func (p *userPackage) all(con *cli.Console, c sweep.Config, to sweep.Sink) (err error) {
	p.ctx = con.Ctx
	log := io.Writer(&quiet{con.Ctx, con.Log})
	con.Bar.Say("generating %s", strings.Join(append(p.paths(), p.dir)[:max(1, len(p.specs))], ", "))
	if p.tmp, err = os.MkdirTemp("", "tilesmith-sweep-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.tmp)) }()
	restore, err := p.keepModule()
	if err != nil {
		return err
	}
	defer restore()
	if err := p.generate(log); err != nil {
		return err
	}
	con.Bar.Say("building the kernels of %s", p.dir)
	return p.run(c, to, log)
}

// quiet writes until a context ends: programs that are interrupted say so, each.
type quiet struct {
	ctx context.Context
	to  io.Writer
}

func (q *quiet) Write(b []byte) (int, error) {
	if q.ctx.Err() != nil {
		return len(b), nil
	}
	return q.to.Write(b)
}

// keepModule keeps the go command from changing go.mod and go.sum, as it does with
// -mod=mod: it gets copies of them.
func (p *userPackage) keepModule() (restore func(), err error) {
	cmd := child.Command(p.ctx, "go", "env", "GOFLAGS", "GOMOD")
	cmd.Dir, cmd.Env = p.dir, specfile.HostEnv()
	out, err := child.Output(cmd)
	if err := specfile.Child(cli.Settle(p.ctx, err), "go env"); err != nil {
		return nil, err
	}
	flags, mod, _ := strings.Cut(strings.TrimRight(string(out), "\n"), "\n")
	if !strings.Contains(flags, "-mod=mod") || strings.Contains(flags, "-modfile") || filepath.Base(mod) != "go.mod" {
		return func() {}, nil
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(mod), name))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(p.tmp, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	was, set := os.LookupEnv("GOFLAGS")
	os.Setenv("GOFLAGS", fmt.Sprintf("%s '-modfile=%s'", flags, filepath.Join(p.tmp, "go.mod")))
	return func() {
		if os.Setenv("GOFLAGS", was); !set {
			os.Unsetenv("GOFLAGS")
		}
	}, nil
}

// run verifies or sweeps the kernels of the package.
func (p *userPackage) run(c sweep.Config, to sweep.Sink, log io.Writer) error {
	c.Package = specfile.ImportPath(p.dir)
	for _, b := range p.bare {
		fmt.Fprintf(log, "tilesmith: %s: no test is generated for it, so there is nothing to check it by\n", b)
	}
	if len(p.kernels)+len(p.tests)+len(p.gpu) == 0 {
		return fmt.Errorf("%s: no spec there has a test generated; a gemm.Spec, sparse.SpMM, SpMV, SDDMM, RGMS or SegmentReduce does", strings.Join(p.paths(), ", "))
	}
	if len(p.kernels)+len(p.tests) > 0 {
		if err := p.runCPU(c, to, log); err != nil {
			return err
		}
	}
	return p.runGPU(c, to, log)
}

func (p *userPackage) paths() (all []string) {
	for _, s := range p.specs {
		all = append(all, filepath.Join(p.dir, s))
	}
	return all
}

func (p *userPackage) runCPU(c sweep.Config, to sweep.Sink, log io.Writer) error {
	binary, err := p.build("", p.driver(len(c.Peers) > 0), log)
	if err != nil {
		return err
	}
	config, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if len(p.kernels) > 0 {
		err = p.child(binary, []string{sweep.EnvConfig + "=" + string(config)}, nil, log, func(r io.Reader) error {
			return sweep.ReadJSON(r, to, log)
		})
		if err != nil {
			return err
		}
	}
	if len(p.tests) > 0 && !c.Verify {
		fmt.Fprintf(log, "tilesmith: %s: there is a test and nothing to time\n", strings.Join(p.tests, ", "))
		return nil
	}
	return p.runTests(binary, p.tests, c, "", to, log)
}

// child runs a binary in the user's folder and hands what it prints to read.
func (p *userPackage) child(binary string, env, args []string, log io.Writer, read func(io.Reader) error) error {
	cmd := child.Command(p.ctx, binary, args...)
	cmd.Dir, cmd.Stderr = p.dir, log
	cmd.Env = append(append(os.Environ(), "TMPDIR="+p.tmp, "TMP="+p.tmp, "TEMP="+p.tmp), env...) // what it has no time to remove
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	wait, err := child.Start(cmd)
	if err != nil {
		return err
	}
	readErr := read(out)
	io.Copy(io.Discard, out) // so that it does not wait
	err = specfile.Child(cli.Settle(p.ctx, wait()), "the program around the kernels of "+p.dir)
	if readErr != nil {
		return readErr
	}
	return err
}

// runGPU runs the generated tests of GPU kernels: on the emulator, and on a GPU if there
// is one.
func (p *userPackage) runGPU(c sweep.Config, to sweep.Sink, log io.Writer) error {
	if len(p.gpu) > 0 && !c.Verify {
		fmt.Fprintf(log, "tilesmith: %s: kernels for GPUs are timed by tilesmith gpu, not here\n", strings.Join(p.gpu, ", "))
		return nil
	}
	if len(p.gpu) == 0 {
		return nil
	}
	binary, err := p.build("gpu", "", log)
	if err != nil {
		return err
	}
	c.Package += "/gpu"
	return p.runTests(binary, p.gpu, c, "ptx", to, log)
}

// runTests runs generated tests that c selects, and makes verdicts of what they print.
func (p *userPackage) runTests(binary string, names []string, c sweep.Config, isa string, to sweep.Sink, log io.Writer) error {
	re, err := regexp.Compile(c.Kernels)
	if err != nil {
		return cli.Usagef("--kernels: %w", err)
	}
	var tests []string
	for _, name := range names {
		if re.MatchString(strings.TrimPrefix(name, "Test")) {
			tests = append(tests, name)
		}
	}
	if tests == nil {
		return nil
	}
	var verdicts []sweep.Verdict
	err = p.child(binary, nil, []string{"-test.v", "-test.run=^(" + strings.Join(tests, "|") + ")$"}, log, func(r io.Reader) (err error) {
		verdicts, err = readTests(r)
		return err
	})
	failed := false
	for i := range verdicts {
		v := &verdicts[i]
		v.Package, v.ISA = c.Package, isa
		failed = failed || !v.Good()
		if err := to.Verdict(v); err != nil {
			return err
		}
	}
	if failed { // which is why it did not exit with 0
		return nil
	}
	return err
}
