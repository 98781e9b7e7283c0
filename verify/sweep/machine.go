package sweep

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// A Machine is what results were measured on.
type Machine struct {
	CPU      string    `json:"cpu"`    // what the processor calls itself
	Family   string    `json:"family"` // of the processor, a number; "" if that is not known
	Model    string    `json:"model"`
	Cores    int       `json:"cores"`
	Caches   Caches    `json:"caches"`
	ISAs     []string  `json:"isas"` // variants that run here, best first
	Go       string    `json:"go"`
	OS       string    `json:"os"`
	Arch     string    `json:"arch"`
	Ceilings []Ceiling `json:"ceilings"`
	Levels   []Level   `json:"levels"`
	Peers    []Peer    `json:"peers"`
}

// Caches are sizes in bytes.
type Caches struct {
	L1 int `json:"l1"`
	L2 int `json:"l2"`
	L3 int `json:"l3"`
}

// A Ceiling is the speed of products that touch nothing but registers. They are
// multiply-adds, or the dot products that an instruction set has for narrow operands.
type Ceiling struct {
	ISA     string  `json:"isa"`
	Type    string  `json:"type"` // f32, or those of a, b and sums: u8,i8,i32
	Threads int     `json:"threads"`
	GFLOPS  float64 `json:"gflops"`
	By      string  `json:"by,omitempty"` // FMA, VDPBF16PS, VPDPBUSD, VPDPWSSD, VPMADDWD
}

// A Level is what one core moves from and to a level of memory, in 10^9 bytes a second.
type Level struct {
	Name  string  `json:"name"`
	Holds int     `json:"holds"` // bytes; 0: everything
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
	Copy  float64 `json:"copy"` // reads and writes together
}

// thisMachine describes the machine as far as nothing has to be measured.
func thisMachine() *Machine {
	c := &machine.This().Caches
	info := cpuInfo("/proc/cpuinfo")
	m := &Machine{
		CPU: info["model name"], Family: info["cpu family"], Model: info["model"], Cores: runtime.NumCPU(),
		Caches: Caches{c[machine.L1].Size, c[machine.L2].Size, c[machine.L3].Size}, ISAs: run.ISAs(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	if m.CPU == "" {
		m.CPU = "unknown " + runtime.GOARCH
	}
	return m
}

// cpuInfo reads what Linux says of the first processor.
func cpuInfo(file string) map[string]string {
	info := map[string]string{}
	data, err := os.ReadFile(file)
	if err != nil {
		return info
	}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(line, ":")
		if !ok { // the next processor
			break
		}
		info[strings.TrimSpace(name)] = strings.Map(printable, strings.TrimSpace(value))
	}
	return info
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

// processor is what tells machines apart.
func (m *Machine) processor() string {
	if m.Family == "" {
		return m.CPU
	}
	return fmt.Sprintf("%s (family %s, model %s)", m.CPU, m.Family, m.Model)
}

// String is one line: the processor, what it has and what runs on it. For caches it
// says what a core has.
func (m *Machine) String() string {
	return m.processor() + fmt.Sprintf(", %d cores, L1 %s, L2 %s, L3 %s, %s %s/%s", m.Cores, size(m.Caches.L1), size(m.Caches.L2), size(m.Caches.L3), m.Go, m.OS, m.Arch)
}

func size(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%g KiB", float64(n)/(1<<10))
}
