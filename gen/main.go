package gen

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/tilesmith/tilesmith/internal/child"
)

// The environment through which `tilesmith run` and `tilesmith explain` speak to
// the spec program.
const (
	EnvOut     = "TILESMITH_GEN_OUT"     // the folder to write to
	EnvPackage = "TILESMITH_GEN_PACKAGE" // the package there
	EnvSource  = "TILESMITH_GEN_SOURCE"  // the spec file's name, or what else the header says
	EnvProgram = "TILESMITH_GEN_PROGRAM" // the file to read functions from, if that is not the source
	EnvCheck   = "TILESMITH_GEN_CHECK"   // set: compare, do not write, and print how lines differ
	EnvReport  = "TILESMITH_GEN_REPORT"  // set: say on stderr what was written, for what this names
	EnvReached = "TILESMITH_GEN_REACHED" // a file that Main makes: whether the program came so far
	EnvExplain = "TILESMITH_GEN_EXPLAIN" // set: an [Explanation] as [Explanation.Env] writes it; do not write files
)

// Main generates the specs into the package that `tilesmith run` was called for,
// and exits with 1 if that fails. It is the last call of a spec file's main.
func Main(specs ...Spec) {
	out := os.Getenv(EnvOut)
	if out == "" {
		fmt.Fprintln(os.Stderr, "tilesmith: this is a spec file; run it with: go tool tilesmith run "+filepath.Base(os.Args[0])+".go")
		os.Exit(2)
	}
	err := begin()
	if err == nil {
		err = runSpecs(out, specs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tilesmith:", err)
		os.Exit(1)
	}
}

var (
	home, _ = os.Getwd() // the folder that the program was started in, which [EnvOut] is seen from
	begun   bool
)

// begin says that Main was reached, and returns to where the program was started. The error
// says that it was reached before: files of specs that are gone are removed, and each call
// would remove the files of the others.
func begin() error {
	if begun {
		return errors.New(os.Getenv(EnvSource) + " calls gen.Main twice, and each call would remove the other's files; pass all specs to one call")
	}
	begun = true
	if reached := os.Getenv(EnvReached); reached != "" {
		if err := os.WriteFile(reached, nil, 0o600); err != nil {
			return err
		}
	}
	return os.Chdir(home)
}

// update is [Update] that a signal does not interrupt, which would leave a part of the files, and temporary ones: the program ends then.
func update(out string, files []File) (Changes, error) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, child.Signals()...)
	did, err := Update(out, files)
	signal.Stop(told)
	select {
	case s := <-told:
		by, _ := s.(syscall.Signal)
		os.Exit(128 + int(by))
	default:
	}
	return did, err
}

func runSpecs(out string, specs []Spec) error {
	o := Options{Package: os.Getenv(EnvPackage), Source: os.Getenv(EnvSource), Program: os.Getenv(EnvProgram)}
	if len(specs) == 0 {
		return errors.New(o.Source + " calls gen.Main without a spec; hand it one, as in gen.Main(gemm.Spec[...]{Name: ...})")
	}
	if s := os.Getenv(EnvExplain); s != "" {
		e, err := parseExplanation(s)
		if err != nil {
			return err
		}
		return e.Print(os.Stdout, o, specs...)
	}
	funcs := newFunctions(o)
	files, err := generateAll(o, funcs, specs)
	if err != nil {
		return err
	}
	if os.Getenv(EnvCheck) != "" {
		err := Check(out, files)
		if stale := (*StaleError)(nil); errors.As(err, &stale) {
			fmt.Print(stale.Diff)
		}
		return err
	}
	did, err := update(out, files)
	if what := os.Getenv(EnvReport); err == nil && what != "" {
		fmt.Fprintf(os.Stderr, "tilesmith: %s: %v\n", what, did)
		err = warnings(os.Stderr, what, funcs, files, specs)
	}
	return err
}
