package run

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// asked is what calls use whose Options ask for no instruction set.
var asked struct {
	sync.Mutex
	read      bool // isa and from are what follows
	isa, from string
	used      bool // by a call: it stays
}

// AskedISA returns what [SetISA] or TILESMITH_ISA asks for, "" if nothing does, and which
// of them it is. A set that is missing is an error, not a wish: it is an [ISAError].
func AskedISA() (isa, from string, err error) {
	asked.Lock()
	defer asked.Unlock()
	return askedISA()
}

func askedISA() (isa, from string, err error) {
	if !asked.read {
		asked.read, asked.isa, asked.from = true, os.Getenv("TILESMITH_ISA"), "TILESMITH_ISA"
	}
	if asked.isa != "" && !slices.Contains(isas(), asked.isa) {
		return asked.isa, asked.from, ISAError{What: "tilesmith", From: asked.from, ISA: asked.isa, Have: ISAs()}
	}
	return asked.isa, asked.from, nil
}

// UseISA is [AskedISA] for a call that chooses a kernel by it, from which on it stays
// what it is. It panics with the error.
func UseISA() (isa, from string) {
	asked.Lock()
	defer asked.Unlock()
	isa, from, err := askedISA()
	if err != nil {
		panic(err)
	}
	asked.used = true
	return isa, from
}

// SetISA asks for an instruction set as TILESMITH_ISA does, and counts instead of it. It
// is for a program that learns when it runs what all machines of a cluster have. It is an
// [ISAError] if this machine or build has no such set, and an error if a kernel was chosen
// before for another.
func SetISA(isa string) error {
	asked.Lock()
	defer asked.Unlock()
	if !slices.Contains(isas(), isa) {
		return ISAError{What: "run.SetISA", From: "it", ISA: isa, Have: ISAs()}
	}
	now, _, err := askedISA()
	if asked.used && (err != nil || now != isa) {
		return fmt.Errorf("run.SetISA: the instruction set %q comes too late: a kernel was chosen before; call it first", isa)
	}
	asked.isa, asked.from = isa, "run.SetISA"
	return nil
}
