package device

import (
	"fmt"
	"strings"
)

// Unit is what multiplies in a kernel's main loop.
type Unit uint8

// The units. An operator of CUDA cores that is not a fused multiplication and addition
// has no unit of its own: its instructions take issue slots.
const (
	Cores   Unit = iota // no multiply-adds that are counted
	FMA32               // fma.f32 of CUDA cores
	Half                // mma of bf16 or f16 with sums of f32
	HalfF16             // mma of f16 with sums of f16
	TF32                // mma of tf32
	Byte                // mma of i8 and u8
	Float8              // mma of e4m3 and e5m2
	Double              // mma of f64
	units
)

func (u Unit) String() string {
	return [...]string{"cores", "fma", "f16", "f16, f16 sums", "tf32", "i8", "f8", "f64"}[u]
}

// Device is a GPU.
type Device struct {
	Name   string // as --device takes it
	Title  string
	Source string // where its numbers are from
	// Target is the newest target whose kernels it runs.
	Target       string
	Major, Minor int
	SMs          int
	Boost        float64 // MHz, of the data sheet
	Clock        float64 // MHz under load: fitted, or Boost
	Rate         [units]float64
	// L2 is the bytes of the cache, L2Clock how many it delivers a clock to all SMs together, of
	// the data sheet or of microbenchmarks.
	L2, L2Clock float64
	DRAM        float64 // bytes a second, of the data sheet
	Latency     float64 // clocks, of a load from DRAM
	SharedSM    int     // bytes of an SM for CTAs, each of which takes reserved more
	SharedCTA   int     // bytes of one CTA
	ThreadsSM   int
	CTAs        int // at most, of an SM
}

// All of them have these in common: CUDA Programming Guide, "Compute Capabilities".
const (
	registersSM = 65536
	schedulers  = 4   // of an SM, each issues an instruction of a warp a clock
	banks       = 128 // bytes that shared memory moves in a clock
	reserved    = 1024
	copied      = 0.9 // of what DRAM could deliver a plain copy gets: 4.3 of 4.8 TB/s on an H200
	portL2      = 64  // bytes that an SM takes from the L2 cache in a clock, at most
)

// Devices are the GPUs that are known.
//
// The rates of tensor cores are multiply-adds a clock of an SM. They follow from the peaks of
// the data sheets: TFLOP/s / 2 / SMs / boost. These kernels use mma.sync. Hopper runs it at
// 0.649 of the rate of wgmma (Luo et al., arXiv 2402.13499: 490.7 of 756.5 TFLOP/s). It has no
// mma.sync of 8-bit floats: the compiler widens them to f16 (NVIDIA/cutlass issue 1986).
var Devices = []Device{
	{
		Name: "a100", Title: "A100 SXM4 40 GB", Target: "sm_80", Major: 8, Minor: 0, SMs: 108, Boost: 1410, Clock: clockA100,
		Source: "NVIDIA A100 Tensor Core GPU Architecture (whitepaper, 2020); latency: Luo et al., arXiv 2402.13499",
		Rate:   [units]float64{FMA32: 64, Half: 1024, HalfF16: 1024, TF32: 512, Byte: 2048, Double: 64},
		L2:     40 << 20, L2Clock: l2A100, DRAM: 1555e9, Latency: 470,
		SharedSM: 164 << 10, SharedCTA: 163 << 10, ThreadsSM: 2048, CTAs: 32,
	},
	{
		Name: "rtx4090", Title: "GeForce RTX 4090", Target: "sm_89", Major: 8, Minor: 9, SMs: 128, Boost: 2520, Clock: clockRTX4090,
		Source: "NVIDIA Ada GPU Architecture (whitepaper, 2022); L2 rate and latency: Luo et al., arXiv 2402.13499",
		Rate:   [units]float64{FMA32: 128, Half: 256, HalfF16: 512, TF32: 128, Byte: 1024, Float8: 512, Double: 1},
		L2:     72 << 20, L2Clock: l2RTX4090, DRAM: 1008e9, Latency: 540,
		SharedSM: 100 << 10, SharedCTA: 99 << 10, ThreadsSM: 1536, CTAs: 24,
	},
	{
		Name: "h100", Title: "H100 SXM5 80 GB", Target: "sm_90", Major: 9, Minor: 0, SMs: 132, Boost: 1830, Clock: 1830,
		Source: "NVIDIA H100 Tensor Core GPU Architecture (whitepaper, 2022); mma.sync, L2 rate and latency: Luo et al., arXiv 2402.13499",
		Rate:   hopper,
		L2:     50 << 20, L2Clock: 4472, DRAM: 3350e9, Latency: 480,
		SharedSM: 228 << 10, SharedCTA: 227 << 10, ThreadsSM: 2048, CTAs: 32,
	},
	{
		Name: "h200", Title: "H200 SXM 141 GB", Target: "sm_90", Major: 9, Minor: 0, SMs: 132, Boost: 1830, Clock: 1830,
		Source: "NVIDIA H200 data sheet (2024): the SMs of an H100 and DRAM of 4.8 TB/s; the rest as for the H100",
		Rate:   hopper,
		L2:     50 << 20, L2Clock: 4472, DRAM: 4800e9, Latency: 480,
		SharedSM: 228 << 10, SharedCTA: 227 << 10, ThreadsSM: 2048, CTAs: 32,
	},
}

// mmaSync is how much of the rate of Hopper's tensor cores mma.sync reaches.
const mmaSync = 490.7 / 756.5

var hopper = [units]float64{FMA32: 128, Half: 2048 * mmaSync, HalfF16: 2048 * mmaSync, TF32: 1024 * mmaSync,
	Byte: 4096 * mmaSync, Float8: 2048 * mmaSync, Double: 128}

// Find returns the device called name.
func Find(name string) (*Device, error) {
	var names []string
	for i := range Devices {
		if Devices[i].Name == strings.ToLower(name) {
			return &Devices[i], nil
		}
		names = append(names, Devices[i].Name)
	}
	return nil, fmt.Errorf("there is no device %q; there is %s", name, strings.Join(names, ", "))
}

// bytesL2 are those that each of some SMs gets from the L2 cache in a clock.
func (d *Device) bytesL2(sms float64) float64 { return min(portL2, d.L2Clock/max(sms, 1)) }

// Like returns the device that a driver describes. A known one is found by its name. Any other
// gets the rates of the known GPU whose compute capability is nearest, and the driver's SMs, kHz,
// bytes of L2 cache and bytes of shared memory of a CTA. A field that is 0 is not known.
func Like(name string, major, minor, sms, kHz int, l2, shared int64) *Device {
	find := func(ok func(d *Device) bool) *Device {
		for i := range Devices {
			if ok(&Devices[i]) {
				x := Devices[i]
				return &x
			}
		}
		return nil
	}
	short := strings.ToLower(strings.ReplaceAll(name, " ", ""))
	d := find(func(d *Device) bool { return strings.Contains(short, d.Name) })
	if d == nil {
		d = find(func(d *Device) bool { return d.Major == major && d.Minor == minor })
		if d == nil { // sm_86, 87 and 120 are of the same kind as sm_89, later ones of sm_90's
			like := map[bool]string{true: "rtx4090", false: "h100"}[major == 8 || major == 12]
			d = find(func(d *Device) bool { return d.Name == like })
		}
		d.Title, d.Source = name, "the driver, and rates as of "+d.Title
		if kHz > 0 {
			d.Boost, d.Clock = float64(kHz)/1000, float64(kHz)/1000
		}
		if l2 > 0 {
			d.L2 = float64(l2)
		}
	}
	if sms > 0 && sms != d.SMs { // part of a GPU has part of its caches and memory
		share := float64(sms) / float64(d.SMs)
		d.SMs, d.L2Clock, d.DRAM = sms, d.L2Clock*share, d.DRAM*share
	}
	if shared > 0 {
		d.SharedCTA = int(min(shared, 1<<20))
		d.SharedSM = max(d.SharedSM, d.SharedCTA+reserved)
	}
	return d
}
