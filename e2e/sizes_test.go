package e2e

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/e2e/internal/tool"
)

// The sizes of programs, in bytes, with symbols and DWARF, but without the paths of this machine. What a call adds is beyond hello
// world, what the fused kernel adds beyond the product. Each limit is what was reached and 2 % more. The goals are 500,000, 100,000
// and 16,000,000.
//
// Of what a product adds, the kernels of two ISAs have 160,000 bytes of code, and package dense, which plans and packs, 124,000.
// Package archive/zip, which registers its compressors before main, has 43,000 with what it needs. Go's tables of lines and
// functions, DWARF and symbols take 1.2 times as much as code and data do.
const (
	mostMatMul    = 1_464_000
	mostFused     = 84_600
	mostTilesmith = 32_250_000
)

// sizePrograms are programs by name.
var sizePrograms = map[string]string{
	"hello":  "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello, world\") }\n",
	"matmul": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/tilesmith/tilesmith/cpu\"\n\t\"github.com/tilesmith/tilesmith/layout\"\n)\n\nfunc main() {\n\tm := layout.New[float32](2, 2)\n\tcpu.MatMul(m, m, layout.New[float32](2, 2))\n\tfmt.Println(\"hello, world\", m)\n}\n",
	"fused":  "package main\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/tilesmith/tilesmith/cpu\"\n\t\"github.com/tilesmith/tilesmith/gen/examples/fused\"\n\t\"github.com/tilesmith/tilesmith/layout\"\n)\n\nfunc main() {\n\tm := layout.New[float32](2, 2)\n\tcpu.MatMul(m, m, layout.New[float32](2, 2))\n\tfused.DenseGELU(m, layout.New[float32](2, 2), layout.New[float32](2, 2), make([]float32, 2))\n\tfmt.Println(\"hello, world\", m)\n}\n",
}

// TestSizes holds what this module adds to a program, and the size of the command, to limits.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds some programs")
	}
	root, err := tool.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	size := map[string]int64{}
	for name, text := range sizePrograms {
		source := filepath.Join(dir, name+".go")
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := tool.Go(filepath.Join(root, "gen", "examples"), nil, "build", "-trimpath", "-o", filepath.Join(dir, name), source); err != nil {
			t.Fatal(err)
		}
		size[name] = sizeOf(t, filepath.Join(dir, name))
	}
	command, err := tool.Tilesmith()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what       string
		have, most int64
	}{
		{"a product adds to hello world", size["matmul"] - size["hello"], mostMatMul},
		{"a fused kernel adds to that", size["fused"] - size["matmul"], mostFused},
		{"tilesmith has", sizeOf(t, command), mostTilesmith},
	} {
		t.Logf("%s %d bytes, of at most %d", c.what, c.have, c.most)
		if c.have > c.most || c.have <= 0 {
			t.Errorf("%s %d bytes, want at most %d", c.what, c.have, c.most)
		}
	}
}

// sizeOf returns how many bytes the sections of an ELF program have. Its file is longer by what aligns segments to pages:
// the difference of two files jumps by 4,096. Of other programs it returns the size of the file.
func sizeOf(t *testing.T, file string) (size int64) {
	t.Helper()
	program, err := elf.Open(file)
	if err != nil {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	defer program.Close()
	for _, s := range program.Sections {
		if s.Type != elf.SHT_NOBITS {
			size += int64(s.FileSize)
		}
	}
	return size
}
