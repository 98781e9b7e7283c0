package page

// Data is what a page shows. It is a plain value; every part may be empty.
type Data struct {
	Title    string
	Subtitle string // a line under the title: processor, threads, types
	When     string // date of the measurement, as it is to be shown
	Command  string // what to type to measure again

	Warnings []string // what to know before anything is believed, above the picture

	Machine []Fact // processor, caches, clock, system, versions of Go and Tilesmith
	Peers   []Fact // libraries compared with: name, version

	Roofs  []Roof  // horizontal lines
	Slopes []Slope // slanted lines
	Marks  []Mark
	Tables []Table // below the picture, in this order
	Notes  []string
}

// Fact is a name and what is true of it.
type Fact struct{ Name, Value string }

// Roof is a ceiling of the arithmetic units, such as {"f32 avx512", 260}.
type Roof struct {
	Name   string
	GFLOPS float64 // 1e9 flop/s; a multiply-add is two
}

// Slope is the bandwidth of a level of memory, such as {"L2", 250}.
type Slope struct {
	Name string
	GBs  float64 // 1e9 byte/s
}

// Mark is one kernel at one size. The series that comes first in Data has the first
// place in the legend and lies over the others in the picture.
type Mark struct {
	Series    string // marks of one series share shape, colour and a line of the legend
	Label     string // names the mark within its series: "n=128"; shown where there is room
	Intensity float64
	GFLOPS    float64
	Predicted float64 // GFLOP/s by the model; 0: none. A hollow mark, joined to this one
	Hover     []Fact  // what else is told when the mark is pointed at
}

// Table is a table below the picture. Rows may be shorter than Header; columns of
// numbers are set to the right.
type Table struct {
	Title, Note string
	Header      []string
	Rows        [][]string
}

// Limits of a page. Write and SVG refuse more: a browser would draw it, nobody could
// read it.
const (
	MaxMarks  = 4096
	MaxSeries = 64 // shapes and colours are told apart up to here
	MaxRoofs  = 16
	MaxSlopes = 12
	MaxCells  = 1 << 17 // of all tables, with the header and what short rows lack
	MaxText   = 8 << 20 // bytes of all strings
)

// Numbers outside these bounds, with NaN and infinities, are not drawn: they come
// from a failed measurement. The page says which were left out.
const (
	Least = 1e-9
	Most  = 1e12
)
