package mpi

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
)

func init() {
	tasks["suite"] = func() error {
		return options().Run(0, func(c *comm.Comm) error {
			if err := suite.Run(c, suite.Options{Seed: 1, Native: true, Log: func(line string) {
				if os.Getenv("VERBOSE") != "" {
					fmt.Fprintln(os.Stderr, time.Now().Format("05.000"), line)
				}
			}}); err != nil {
				return err
			}
			fmt.Fprintf(Stdout(c), "%d ranks pass\n", c.Size())
			return nil
		})
	}
}

// TestSuite is what every transport must do, on processes.
func TestSuite(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		for _, p := range i.sizes() {
			t.Run(fmt.Sprintf("p=%d", p), func(t *testing.T) {
				if r := i.run(t, p, "suite").ok(t); r.out != fmt.Sprintf("%d ranks pass\n", p) {
					t.Errorf("printed %q\n%s", r.out, r.errs)
				}
			})
		}
		t.Run("one thread", func(t *testing.T) { i.run(t, 2, "suite", "ONE_THREAD=1").ok(t) })
	})
}
