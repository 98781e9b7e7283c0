package emu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
)

// reverse turns a block of 64 numbers round in shared memory. The barrier between
// writing and reading is missing.
const reverse = `.version 7.0
.target sm_80
.address_size 64
.visible .entry reverse(.param .u64 data)
{
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 tile[256];
	ld.param.u64 %rd1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1];
	mov.u32 %r3, tile;
	mad.lo.u32 %r4, %r1, 4, %r3;
	st.shared.u32 [%r4], %r2;
	// bar.sync 0;
	sub.u32 %r5, 63, %r1;
	mad.lo.u32 %r4, %r5, 4, %r3;
	ld.shared.u32 %r2, [%r4];
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// On most GPUs the first warp of this kernel reads what the second has not written.
// The emulator says so for every order of the two.
func ExampleOpen() {
	// Each run in another order: this one takes the warps at random.
	if err := run(emu.Options{Seed: 4}); err != nil {
		var f *emu.Fault
		fmt.Println(errors.As(err, &f), f.Line, f.Text)
	}
	// Output: true 20 ld.shared.u32 %r2, [%r4];
}

func run(o emu.Options) error {
	d, err := emu.Open(o)
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	data, err := d.Alloc(256)
	if err != nil {
		return err
	}
	if err := s.Write(data, 0, make([]byte, 256)); err != nil {
		return err
	}
	m, err := d.Load(reverse)
	if err != nil {
		return err
	}
	f, err := m.Function("reverse")
	if err != nil {
		return err
	}
	params := binary.LittleEndian.AppendUint64(nil, data.Address())
	if err := f.Launch(s, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{64, 1, 1}}, params); err != nil {
		return err
	}
	return s.Synchronize()
}

// A report counts what launches did; its table has the lines that cost more than
// they had to.
func ExampleDevice_Report() {
	d, err := emu.Open(emu.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := d.Load(`.version 7.0
.target sm_80
.address_size 64
.visible .entry stride()
{
	.reg .b32 %r<3>;
	.shared .align 4 .b8 tile[4096];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, tile;
	mad.lo.u32 %r2, %r1, 128, %r2;
	st.shared.u32 [%r2], %r1;
	ret;
}
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _ := m.Function("stride")
	s, _ := d.NewStream()
	if err := f.Launch(s, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}}, nil); err != nil {
		fmt.Println(err)
		return
	}
	d.Report().Write(os.Stdout)
	// Output:
	// stride: 1 launches, 5 instructions, 32/1 wavefronts, 0/0 sectors, 0 flops, 0 at barriers
	//   line 11: 32/1 wavefronts, 0/0 sectors: st.shared.u32 [%r2], %r1;
}
