package emu

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// A rig is a device with one stream, for tests.
type rig struct {
	t testing.TB
	d *Device
	s cuda.Stream
}

func newRig(t testing.TB, o Options) *rig {
	t.Helper()
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t, d, s}
}

// alloc returns memory that holds data.
func (r *rig) alloc(data []byte) cuda.Memory {
	r.t.Helper()
	m := r.empty(len(data))
	if err := r.s.Write(m, 0, data); err != nil {
		r.t.Fatal(err)
	}
	return m
}

// empty returns memory that was never written.
func (r *rig) empty(n int) cuda.Memory {
	r.t.Helper()
	m, err := r.d.Alloc(int64(n))
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

func (r *rig) read(m cuda.Memory) []byte {
	r.t.Helper()
	b := make([]byte, m.Bytes())
	if err := r.s.Read(b, m, 0); err != nil {
		r.t.Fatal(err)
	}
	return b
}

// launch runs a kernel and returns what it did wrong. Parameters are cuda.Memory,
// uint32, uint64 and float32.
func (r *rig) launch(ptx, name string, g cuda.Grid, params ...any) error {
	r.t.Helper()
	m, err := r.d.Load(ptx)
	if err != nil {
		r.t.Fatal(err)
	}
	defer m.Unload()
	f, err := m.Function(name)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := f.Launch(r.s, g, pack(params...)); err != nil {
		return err
	}
	return r.s.Synchronize()
}

func pack(params ...any) (b []byte) {
	align := func(n int) {
		for len(b)%n != 0 {
			b = append(b, 0)
		}
	}
	for _, p := range params {
		switch p := p.(type) {
		case cuda.Memory:
			align(8)
			b = binary.LittleEndian.AppendUint64(b, p.Address())
		case uint64:
			align(8)
			b = binary.LittleEndian.AppendUint64(b, p)
		case uint32:
			align(4)
			b = binary.LittleEndian.AppendUint32(b, p)
		case float32:
			align(4)
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(p))
		}
	}
	return b
}

func grid(blocks, threads, shared int) cuda.Grid {
	return cuda.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{threads, 1, 1}, Shared: shared}
}

func floats(v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func words(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func toWords(b []byte) []uint32 {
	v := make([]uint32, len(b)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return v
}

func toFloats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// wantFault fails unless err is a fault of kind with all of parts in its text.
func wantFault(t testing.TB, err error, kind FaultKind, parts ...string) {
	t.Helper()
	var f *Fault
	if !errors.As(err, &f) {
		t.Errorf("got %v, want a fault: %s", err, kind)
		return
	}
	if !errors.Is(err, cuda.ErrLaunch) {
		t.Errorf("%v is not cuda.ErrLaunch", err)
	}
	if f.Kind != kind {
		t.Errorf("got %v, want a fault: %s", err, kind)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}

const header = ".version 8.0\n.target sm_80\n.address_size 64\n"

// kernel returns a module with the kernel k of n pointers p0, p1, …, which are in
// %rd0, %rd1, … when body begins; tid is in %r0.
func kernel(n int, body string) string {
	var b strings.Builder
	b.WriteString(header + ".extern .shared .align 16 .b8 smem[];\n.visible .entry k(")
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(".param .u64 p" + strconv.Itoa(i))
	}
	b.WriteString(") {\n.reg .b16 %h<20>;\n.reg .b32 %r<100>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<60>;\n.reg .f64 %d<20>;\n.reg .pred %p<20>;\n")
	b.WriteString("mov.u32 %r0, %tid.x;\n")
	for i := range n {
		b.WriteString("ld.param.u64 %rd" + strconv.Itoa(i) + ", [p" + strconv.Itoa(i) + "];\ncvta.to.global.u64 %rd" + strconv.Itoa(i) + ", %rd" + strconv.Itoa(i) + ";\n")
	}
	b.WriteString(body + "\nret;\n}\n")
	return b.String()
}

func TestVectorAdd(t *testing.T) {
	const src = header + `
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .f32 %f<4>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<11>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	ld.param.u64 %rd3, [c];
	ld.param.u32 %r2, [n];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r1, %r3, %r4, %r5;
	setp.ge.s32 %p1, %r1, %r2;
	@%p1 bra $done;
	cvta.to.global.u64 %rd4, %rd1;
	mul.wide.s32 %rd5, %r1, 4;
	add.s64 %rd6, %rd4, %rd5;
	add.s64 %rd7, %rd2, %rd5;
	ld.global.f32 %f1, [%rd6];
	ld.global.f32 %f2, [%rd7];
	add.f32 %f3, %f1, %f2;
	add.s64 %rd10, %rd3, %rd5;
	st.global.f32 [%rd10], %f3;
$done:
	ret;
}`
	const n = 1000
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), float32(3*i)
	}
	r := newRig(t, Options{})
	a, b, c := r.alloc(floats(x...)), r.alloc(floats(y...)), r.empty(4*n)
	if err := r.launch(src, "add", grid(8, 128, 0), a, b, c, uint32(n)); err != nil {
		t.Fatal(err)
	}
	for i, v := range toFloats(r.read(c)) {
		if v != float32(4*i) {
			t.Fatalf("c[%d] = %g", i, v)
		}
	}
	// Without the bound the last threads read beyond a.
	err := newRig(t, Options{}).launch(strings.Replace(src, "@%p1 bra", "@!%p1 bra", 1), "add", grid(8, 128, 0), a, b, c, uint32(n))
	wantFault(t, err, Bounds, "ld.global.f32 %f1", "reads 4 bytes")
}
