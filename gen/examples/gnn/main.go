package main

import (
	"context"
	"fmt"
	"os"

	"github.com/tilesmith/tilesmith/gen/examples/gnn/data"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gnn:", err)
		os.Exit(1)
	}
}

// run trains the network that args name on three files.
func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("want a model and files of a graph, features and labels")
	}
	m, err := find(args[0])
	if err != nil {
		return err
	}
	s, err := data.Read(args[1], args[2], args[3])
	if err != nil {
		return err
	}
	t, err := NewTrainer[float32](m, s, 1)
	if err != nil {
		return err
	}
	if err := t.Run(context.Background(), nil); err != nil {
		return err
	}
	t.Keep()
	fmt.Printf("%s: %.1f %%\n", m.Name, 100*t.Score(s.Test).Accuracy)
	return nil
}
