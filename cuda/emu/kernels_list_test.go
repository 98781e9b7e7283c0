package emu

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

func TestKernels(t *testing.T) {
	const src = header + `
.func f() { ret; }
.visible .entry a(.param .u64 .ptr .global .align 16 p, .param .f32 x, .param .align 8 .b8 s[24]) .reqntid 32, 2
{ ret; }
.entry b() { ret; }
`
	got, err := Kernels(src)
	want := []Kernel{
		{Name: "a", Line: 6, Threads: [3]int{32, 2, 1}, Exact: true, Params: []Param{
			{Name: "p", Type: "u64", Bytes: 8, Align: 8},
			{Name: "x", Type: "f32", Bytes: 4, Offset: 8, Align: 4},
			{Name: "s", Type: "b8", Array: true, Bytes: 24, Offset: 16, Align: 8}}},
		{Name: "b", Line: 8},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	_, err = Kernels(header + "\x1b.entry")
	var r *Refusal
	if !errors.As(err, &r) || !errors.Is(err, cuda.ErrPTX) || r.Line != 4 || r.Column != 1 || r.Text != "..entry" {
		t.Errorf("%v: %+v", err, r)
	}
}

// TestUnwritten writes parts of a buffer of two pages, from the host and from a kernel.
func TestUnwritten(t *testing.T) {
	r := newRig(t, Options{})
	m := r.empty(pageBytes + 10)
	check := func(first, n int64) {
		t.Helper()
		if f, k, err := r.d.Unwritten(m); f != first || k != n || err != nil {
			t.Errorf("%d from %d, %v; want %d from %d", k, f, err, n, first)
		}
	}
	check(0, pageBytes+10)
	if err := r.s.Write(m, 0, make([]byte, pageBytes+3)); err != nil {
		t.Fatal(err)
	}
	check(pageBytes+3, 7)
	if err := r.launch(kernel(1, "st.global.u32 [%rd0+4100], 0;"), "k", grid(1, 1, 0), m); err != nil {
		t.Fatal(err)
	}
	check(pageBytes+3, 3)
	if err := r.s.Write(m, pageBytes+3, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	check(0, 0)
	other := newRig(t, Options{})
	if _, _, err := other.d.Unwritten(m); !errors.Is(err, cuda.ErrForeign) {
		t.Error(err)
	}
	if err := m.Free(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.d.Unwritten(m); !errors.Is(err, cuda.ErrClosed) {
		t.Error(err)
	}
}

// TestSource: a fault says where the line of PTX comes from, if the text has .loc; both
// sides of a race do.
func TestSource(t *testing.T) {
	const body = `.loc 1 12 5
st.global.u32 [%rd0], %r0;
.loc	1 14
ld.global.u32 %r1, [%rd0];
.loc 2 1 1, function_name $x, inlined_at 1 2 3
ret;`
	src := kernel(1, body) + "\n.file 1 \"/home/me/k.cu\"\n.file 2 \"C:\\x\\y.cu\", 1, 2\n"
	r := newRig(t, Options{})
	m := r.empty(64)
	r.d.Name(m, "x.npy")
	err := r.launch(src, "k", grid(1, 64, 0), m)
	var f *Fault
	if !errors.As(err, &f) || f.Kind != Race || f.Source != "k.cu:12:5" || f.Other.Source != "k.cu:12:5" || !strings.Contains(err.Error(), "(k.cu:12:5): block 0") {
		t.Errorf("%v", err)
	}
	r = newRig(t, Options{})
	m = r.empty(4)
	r.d.Name(m, "x.npy")
	err = r.launch(strings.Replace(src, "st.global", "@%p0 st.global", 1), "k", grid(1, 1, 0), m)
	wantFault(t, err, UninitReg, "(k.cu:12:5)")
	err = newRig(t, Options{}).launch(strings.Replace(src, "st.global.u32 [%rd0], %r0;", "", 1), "k", grid(1, 1, 0), m)
	wantFault(t, err, Bounds, "(k.cu:14)")
}

// TestInlined: of a function that was put in place of its call, a fault names the call as
// well, and the calls around it.
func TestInlined(t *testing.T) {
	const files = "\n.file 1 \"/home/me/k.cu\"\n.file 2 \"/usr/include/dot.h\"\n.file 3 \"add.h\"\n"
	long := ".loc 1 1 1\n"
	for i := range 20 {
		long += fmt.Sprintf(".loc 2 %d 1, function_name $x, inlined_at %d %d 1\n", i+2, min(i+1, 2), i+1)
	}
	for _, c := range []struct{ locs, want string }{
		{".loc 1 40 9\n.loc 2 12 5, function_name $x, inlined_at 1 40 9\n", "(dot.h:12:5, inlined at k.cu:40:9): block"},
		{".loc 2 12 5, function_name $x+12, inlined_at 1 40 9\n", "(dot.h:12:5, inlined at k.cu:40:9): block"},
		{".loc 1 40 9\n.loc 2 12 5, function_name $x, inlined_at 1 40 9\n.loc 3 7 1, function_name $y, inlined_at 2 12 5\n", "(add.h:7:1, inlined at dot.h:12:5, inlined at k.cu:40:9): block"},
		// The same line, put in place of two calls: the last one counts.
		{".loc 1 40 9\n.loc 2 12 5, function_name $x, inlined_at 1 40 9\n.loc 1 50 9\n.loc 2 12 5, function_name $x, inlined_at 1 50 9\n.loc 3 7 1, function_name $y, inlined_at 2 12 5\n", "(add.h:7:1, inlined at dot.h:12:5, inlined at k.cu:50:9): block"},
		{".loc 2 12 5, function_name $x, inlined_at 1 40 9\n.loc 1 41 1\n", "(k.cu:41:1): block"},
		{".loc 2 12 5, function_name $x, inlined_at 2 12 5\n", "(dot.h:12:5, inlined at dot.h:12:5): block"},
		{".loc 2 12 5, function_name $x, inlined_at 9 1 1\n", "(dot.h:12:5): block"},
		{".loc 2 12 5, function_name $x, inlined_at\n", "(dot.h:12:5): block"},
		{long, "(dot.h:21:1, inlined at dot.h:20:1, inlined at dot.h:19:1, inlined at dot.h:18:1, inlined at dot.h:17:1, inlined at dot.h:16:1, inlined at dot.h:15:1, inlined at dot.h:14:1, inlined at dot.h:13:1, …): block"},
	} {
		err := newRig(t, Options{}).launch(kernel(1, c.locs+"ld.global.u32 %r1, [%rd0];")+files, "k", grid(1, 1, 0), uint64(0))
		wantFault(t, err, Bounds, c.want)
	}
}
