// Command tilesmith generates, explains, verifies and times matrix kernels.
//
// Usage:
//
//	tilesmith demo          the whole story on an embedded default
//	tilesmith run spec.go   generate what a spec file describes; --check compares
package main

import (
	"errors"
	"fmt"
	"os"
)

// A command is one word after tilesmith.
type command struct {
	name, args, doc string
	run             func(args []string) error
}

func commands() []command {
	return []command{
		{"demo", "", "generate, build, verify and time an embedded default", demo},
		{"run", "[--check] spec.go", "generate what spec.go describes into its package", runSpec},
	}
}

// A usageError is a wrong command line: exit code 2.
type usageError struct{ error }

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tilesmith:", err)
		if errors.As(err, new(usageError)) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Println("usage: tilesmith COMMAND [ARGUMENTS]")
		for _, c := range commands() {
			fmt.Printf("  %-28s %s\n", c.name+" "+c.args, c.doc)
		}
		return nil
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:])
		}
	}
	return usageError{fmt.Errorf("unknown command %q; tilesmith help lists them", args[0])}
}
