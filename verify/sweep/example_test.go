package sweep_test

import (
	"fmt"
	"log"
	"os"

	"github.com/tilesmith/tilesmith/verify/sweep"
)

// One stock kernel at one size, checked and then timed.
func Example() {
	c := sweep.Config{Kernels: "MatMul", Types: []string{"f32"}, Shapes: "32", Time: 1e6}
	s, err := c.Session(sweep.Stock())
	if err != nil {
		log.Fatal(err)
	}
	// s.Machine() would say what the levels of memory move, which takes seconds to measure.
	err = s.Sweep(&sweep.Machine{}, func(r sweep.Result) error {
		fmt.Fprintf(os.Stderr, "%.0f GFLOP/s, %.0f %% of the ceiling\n", r.GFLOPS, 100*r.Share)
		fmt.Println(r.Kernel, r.Types, r.Workload, r.Timed())
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: MatMul f32 NN m=32 n=32 k=32 true
}
