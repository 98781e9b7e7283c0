package page_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tilesmith/tilesmith/verify/page"
)

func ExampleWrite() {
	d := page.Data{
		Title:   "One kernel",
		Command: "tilesmith sweep --html page.html",
		Roofs:   []page.Roof{{Name: "f32 avx512", GFLOPS: 260}},
		Slopes:  []page.Slope{{Name: "L2", GBs: 250}, {Name: "DRAM", GBs: 40}},
		Marks:   []page.Mark{{Series: "f32", Label: "n=128", Intensity: 16, GFLOPS: 229, Predicted: 237}},
	}
	dir, err := os.MkdirTemp("", "page")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(filepath.Join(dir, "page.html"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Write(f, d), f.Close())
	// Output: <nil> <nil>
}
