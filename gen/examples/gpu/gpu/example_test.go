package gpu_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/gen/examples/gpu/gpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// A dense layer with a fused activation. With driver.Open in place of emu.Open it
// runs on a GPU.
func ExampleDenseGELU() {
	dev, err := emu.Open(emu.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	stream, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	one := dtype.ToBF16(float32(1))
	x, w := layout.New[dtype.BF16](2, 8), layout.New[dtype.BF16](8, 3)
	for i := range x.Data {
		x.Data[i] = one
	}
	for j := range 3 {
		w.Set(j, j, one)
	}
	a, err := cuda.From(stream, x)
	if err != nil {
		log.Fatal(err)
	}
	b, err := cuda.From(stream, w)
	if err != nil {
		log.Fatal(err)
	}
	bias, err := cuda.Upload(stream, []float32{-1, 0, 1})
	if err != nil {
		log.Fatal(err)
	}
	out, err := cuda.New[dtype.BF16](dev, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := gpu.DenseGELU(stream, out, a, b, bias); err != nil {
		log.Fatal(err)
	}
	y, err := out.To(stream)
	if err != nil {
		log.Fatal(err)
	}
	for j := range 3 {
		fmt.Println(y.At(0, j).Float32(), y.At(1, j).Float32())
	}
	// Output:
	// 0 0
	// 0.83984375 0.83984375
	// 1.953125 1.953125
}
