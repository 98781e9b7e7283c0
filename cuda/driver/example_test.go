package driver_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/driver"
	"github.com/tilesmith/tilesmith/layout"
)

// A matrix goes to the first GPU and its transpose comes back.
func ExampleOpen() {
	dev, err := driver.Open()
	if err != nil {
		log.Fatal(err) // says what is missing, and what to do
	}
	defer dev.Close()
	s, err := dev.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	a, err := cuda.From(s, layout.RowMajor([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	back, err := a.T().To(s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Rows, back.Cols, back.Data)
}
