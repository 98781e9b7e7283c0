package emit

import "fmt"

// Instruction is a machine instruction that is its own specification: operand
// types, meaning, text and requirements stand in one literal. Operations that
// every machine has are rows of the op table instead; an Instruction is for what
// only one machine has. Package emit/inst holds them, a family a file.
type Instruction struct {
	Name string // the vendor's spelling, unique
	Doc  string // what it does and where that is written

	In, Out []Type // operand and result types
	// Tied says which operand's registers result i reuses, or -1. A tied operand
	// may not be used again: its registers have been overwritten.
	Tied []int
	// Sync is the set of threads that must execute the instruction together, in
	// uniform control flow (PTX ".sync.aligned"); Thread for an ordinary one.
	Sync Level
	// Uniform is the set of threads over which the results are the same.
	Uniform Level
	Mem     Effect
	// Run is the meaning. The interpreter calls it once for all threads of Sync.
	Run Meaning
	// Text is the spelling per backend, with {0}, {1} for results, then operands.
	Text map[string]string
	// Needs is the first target that has it, as the backend names targets; of several
	// families the first of each, with spaces between.
	Needs string
}

// Effect says how an operation touches memory; operations with effects keep
// their order.
type Effect uint8

// The effects.
const (
	Pure Effect = iota
	Reads
	Writes // or orders other accesses
)

// Level is a set of threads, from one to a whole CTA. As the uniformity of a
// value it is the largest set over which the value is known to be the same.
type Level uint8

// The levels. Thread is the zero value: nothing is known to be shared.
const (
	Thread Level = iota
	Warp
	Warpgroup
	CTA
)

var levels = [...]string{"thread", "warp", "warpgroup", "cta"}

func (l Level) String() string {
	if int(l) >= len(levels) {
		return fmt.Sprintf("level(%d)", uint8(l))
	}
	return levels[l]
}

// Threads returns how many threads the level has; 0 for a CTA, which has as many
// as it was launched with.
func (l Level) Threads() int { return [...]int{1, 32, 128, 0}[l] }

// Meaning executes an instruction for a group of threads. in[t][i] is operand i of the
// group's thread t, and out[t][i] must be set to result i. imm is the operation's
// Attr.Imm. An error stops the interpreter with the operation and the thread named.
// ErrRetry makes the group execute the instruction again after other threads have run:
// how a blocking wait is spelt.
type Meaning func(m *Machine, imm int64, in, out [][]Word) error

var instructions = map[string]*Instruction{}

// Declare adds an instruction to those the text parser knows and returns it. It
// panics if the name is taken or a tied operand does not exist: both are mistakes
// in the declaration.
func Declare(i Instruction) *Instruction {
	if instructions[i.Name] != nil {
		panic("emit: instruction " + i.Name + " is declared twice")
	}
	for r, o := range i.Tied {
		if o >= len(i.In) || o >= 0 && (r >= len(i.Out) || i.In[o].settled() != i.Out[r].settled()) {
			panic(fmt.Sprintf("emit: instruction %s: result %d is tied to operand %d of another type", i.Name, r, o))
		}
	}
	instructions[i.Name] = &i
	return &i
}

// lookupInstruction returns the instruction called name, or nil.
func lookupInstruction(name string) *Instruction { return instructions[name] }
