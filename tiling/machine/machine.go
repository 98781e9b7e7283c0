// Package machine describes a processor as a value. The value holds its caches, how fast
// a core moves bytes to and from each, its pages, and how many instructions of each kind
// a core starts in a cycle. Planners, which choose kernels, blocks and packing, read
// nothing else of the machine. So you can make, explain and test a choice for any machine
// anywhere.
//
// Start with [This]. [Known] lists the data that comes with the program, [Reference] is
// what results may depend on, and [Read] reads a file that `tilesmith machine` wrote.
//
// A machine's values decide only what leaves the order of additions alone. Decisions on
// the order use the [Reference], which is the same everywhere.
package machine

import "github.com/tilesmith/tilesmith/tiling/isaset"

// A Level is one level of memory as one core sees it.
type Level struct {
	Size int `json:"size,omitempty"` // bytes that a core can use, of what is shared its part; 0 for memory
	Ways int `json:"ways,omitempty"` // lines of one set; 0 for memory

	// Bytes/s between this level and the registers of one core, lines in order: those
	// read, and those changed, which are fetched first and written back. Vectors are as
	// wide as the best units have them; narrower ones move at most Loads and Stores of
	// theirs in a cycle.
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
	// Latency is the number of seconds until a line arrives that was not prefetched.
	// Misses is how many such lines a core waits for at once. Lines in random order arrive
	// at Misses*[Line]/Latency bytes/s.
	Latency float64 `json:"latency"`
	Misses  float64 `json:"misses"`
}

// The levels of [Machine.Caches].
const (
	L1 = iota
	L2
	L3
	Memory
	Levels
)

// Line is the bytes of a line, which caches move as a whole.
const Line = 64

// Apiece returns the seconds of a byte that is read, or changed, in lines that are in order, or in none:
// then a core waits for Misses of them at once.
func (l *Level) Apiece(change, ordered bool) float64 {
	rate := l.Read
	if change {
		rate = l.Write
	}
	if ordered {
		return 1 / rate
	}
	return max(1/rate, l.Latency/l.Misses/Line)
}

// Pages is what it takes to find the page of an address.
type Pages struct {
	Size   int     `json:"size"`   // bytes
	Near   int     `json:"near"`   // pages that cost nothing: those of the first TLB
	Far    int     `json:"far"`    // pages of the second TLB
	Lookup float64 `json:"lookup"` // seconds of finding one in the second TLB
	Walk   float64 `json:"walk"`   // seconds of finding one that is in neither
}

// Units is what a core starts in one cycle, with vectors of one instruction set, of
// vectors as wide as its registers.
type Units struct {
	ISA    string  `json:"isa"`    // as isaset.ISA has it, or "go" for compiled Go
	Vector int     `json:"vector"` // bytes of a register
	FMA    float64 `json:"fma"`    // multiply-adds a cycle; of float32 and float64 alike, but for compiled Go
	// Latency is the cycles until the sum of a multiply-add can be added to.
	Latency float64 `json:"latency"`
	Loads   float64 `json:"loads"`   // a cycle, from L1
	Stores  float64 `json:"stores"`  // a cycle, to L1
	Shuffle float64 `json:"shuffle"` // permutations a cycle that multiply-adds leave room for
	Issue   float64 `json:"issue"`   // instructions of any kind a cycle
	// Masked is what a masked load or store takes beyond an ordinary one, in cycles: the
	// mean of the two.
	Masked float64 `json:"masked"`
	// Gather is the cycles for each element that one instruction gathers.
	Gather float64 `json:"gather"`

	// For products of narrow elements, see [Machine.Step]: vectors of sums a cycle by
	// VDPBF16PS or BFMMLA; by VPMADDWD with the addition that follows, or two of SMLAL; and rows of products of tiles. 0:
	// as many as multiply-adds, or of tiles as every core does that is known. Files do not
	// say: they are data of cores.
	BF16  float64 `json:"bf16,omitempty"`
	Pairs float64 `json:"pairs,omitempty"`
	Tiles float64 `json:"tiles,omitempty"`
	// How many multiply-adds could start instead of what widens a vector of f16, and of bf16.
	WidenF16  float64 `json:"widenF16,omitempty"`
	WidenBF16 float64 `json:"widenBF16,omitempty"`
}

// A Machine is a processor.
type Machine struct {
	Name   string `json:"name"`
	Source string `json:"source"` // where the numbers are from: documents, or a measurement and its day
	Sizes  string `json:"sizes"`  // where the sizes and ways of the caches are from
	CPU    CPU    `json:"cpu"`    // which one it is; the zero CPU for data of a family of cores

	Clock    float64       `json:"clock"` // Hz of a core that runs vector code
	Cores    int           `json:"cores"`
	Caches   [Levels]Level `json:"levels"`
	Stream   float64       `json:"stream"`   // bytes/s of streaming stores of one core
	Together float64       `json:"together"` // bytes/s that all cores read from memory
	Pages    Pages         `json:"pages"`
	Units    []Units       `json:"units"` // best first; the last is that of compiled Go

	// Tail is the cycles that a tile of sums takes besides its steps. They go to the
	// mispredicted jump out of the loop and to the last sums.
	Tail float64 `json:"tail"`
}

// Room returns the bytes of the three caches that a core can use.
func (m *Machine) Room() (l1, l2, l3 int) {
	return m.Caches[L1].Size, m.Caches[L2].Size, m.Caches[L3].Size
}

// Holds returns the nearest level that holds so many bytes.
func (m *Machine) Holds(bytes float64) int {
	level := L1
	for level < Memory && bytes > float64(m.Caches[level].Size) {
		level++
	}
	return level
}

// Of returns the units for an instruction set, which are those of the set that it extends.
// It returns those of compiled Go if there are none.
func (m *Machine) Of(isa string) *Units {
	isa = isaset.Plain(isa)
	for i := range m.Units {
		if m.Units[i].ISA == isa {
			return &m.Units[i]
		}
	}
	return &m.Units[len(m.Units)-1]
}

// Ceiling is the flop/s of one core, with multiply-adds of elements of so many bytes.
func (m *Machine) Ceiling(isa string, size int) float64 {
	u := m.Of(isa)
	lanes := float64(u.Vector / size)
	if u.Vector <= 8 { // compiled Go has no vectors
		lanes = 1
	}
	return 2 * lanes * u.FMA * m.Clock
}
