package gpucmd

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/tiling/device"
)

// TestPredictGPU prints forty shapes for each GPU, which are the same every time; others if asked.
func TestPredictGPU(t *testing.T) {
	for i := range device.Devices {
		var out, again bytes.Buffer
		for _, w := range []io.Writer{&out, &again} {
			if err := dispatch([]string{"gpu", "--predict", "--device", device.Devices[i].Name}, w); err != nil {
				t.Fatal(err)
			}
		}
		text := out.String()
		if n := strings.Count(text, " stages"); n != 40 || strings.Contains(text, "refused") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%d shapes:\n%s", n, text)
		}
		if text != again.String() || !strings.HasPrefix(text, device.Devices[i].Title+": ") {
			t.Errorf("another time it is\n%s", again.String())
		}
	}
	var out bytes.Buffer
	if err := dispatch([]string{"gpu", "--predict", "--device", "H200", "--types", "f32,gelu", "--shape", "64,64,64", "--shape", "512,512,64,8"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nf32\n", "\ngelu\n", "\n64 x 64 x 64  ", "\n8 of 512 x 512 x 64  ", "nothing here is measured"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
	// What is copied first stands beside the kernel; tiny products copy nothing.
	out.Reset()
	if err := dispatch([]string{"gpu", "--predict", "--device", "h100", "--types", "bf16", "--shape", "1001,1001,1001", "--shape", "1000,1000,1001", "--shape", "9,9,9"}, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "copies a and b in ") != 1 || strings.Count(text, "copies a in ") != 1 || strings.Count(text, "  any 128x") != 1 {
		t.Error(text)
	}
	for _, x := range []struct {
		args []string
		why  string
	}{
		{[]string{"--predict"}, "give --device a100|rtx4090|h100|h200"},
		{[]string{"--predict", "--device", "0"}, `there is no device "0"`},
		{[]string{"--predict", "--device", "a100", "--types", "f128"}, `there is no "f128"; there is bf16, f16`},
		{[]string{"--predict", "--device", "a100", "--shape", "1,2"}, "want M,N,K, or M,N,K,COUNT"},
		{[]string{"--predict", "--device", "a100", "--shape", "1,2,0"}, `"0" is not a size`},
		{[]string{"--predict", "--device", "a100", "--shape", "99999999999999999999,2,1"}, `is not a size`},
		{[]string{"--predict", "--device", "a100", "--emu"}, "--emu has no meaning"},
		{[]string{"--types", "bf16"}, "--types is for --predict"},
		{[]string{"--device", "a100"}, "names are for --predict"},
		{[]string{"--device", "-1"}, "counts GPUs from 0"},
	} {
		err := dispatch(append([]string{"gpu"}, x.args...), io.Discard)
		if cli.ExitCode(err) != 2 || err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("gpu %q: exit %d, %v; want %q", x.args, cli.ExitCode(err), err, x.why)
		}
	}
	// What is no launch is told in its row.
	out.Reset()
	if err := dispatch([]string{"gpu", "--predict", "--device", "a100", "--shape", "2147483647,2147483647,8"}, &out); err != nil || !strings.Contains(out.String(), "refused: gpu.MatMulBF16: 1 of 2147483647 x 2147483647 bf16") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
