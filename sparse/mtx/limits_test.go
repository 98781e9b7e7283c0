package mtx

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// endless gives text, then pad for ever.
type endless struct {
	text string
	pad  byte
	n    int64 // of pad given
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text)
	e.text = e.text[n:]
	for k := n; k < len(p); k++ {
		p[k] = e.pad
	}
	e.n += int64(len(p) - n)
	return len(p), nil
}

const generalLine = "%%MatrixMarket matrix coordinate real general\n"

func TestLimits(t *testing.T) {
	bomb := func(text string) io.Reader {
		r, w := io.Pipe()
		go func() {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
			_, err := io.Copy(z, io.LimitReader(&endless{text: text, pad: '\n'}, 1<<23))
			w.CloseWithError(errors.Join(err, z.Close()))
		}()
		return r
	}
	text := strings.NewReader
	for _, c := range []struct {
		what, want string
		r          io.Reader
		o          Options
	}{
		{"lying sizes", "line 2, column 1: 2000000000 rows are more than Options.MaxDim, 134217728", text(generalLine + "2000000000 2000000000 0\n"), Options{}},
		{"columns", "column 3: 11 columns are more than Options.MaxDim, 10", text(generalLine + "5 11 0\n"), Options{MaxDim: 10}},
		{"sizes beyond 64 bits", "99999999999999999999... (40 digits) rows are more than", text(generalLine + strings.Repeat("9", 40) + " 1 0\n"), Options{}},
		{"lying entries", "column 5: 9999999999 entries are more than Options.MaxEntries, 2147483647", text(generalLine + "5 5 9999999999\n"), Options{}},
		{"large array", "an array of 100000000 x 100000000 has more values than", text("%%MatrixMarket matrix array real general\n100000000 100000000\n"), Options{}},
		{"huge array", "has more values than", text("%%MatrixMarket matrix array real symmetric\n2000000000 2000000000\n"), Options{MaxDim: 2e9}},
		{"endless line 1", "line 1, column 1048577: the line is longer than Options.MaxLine", &endless{pad: 'x'}, Options{}},
		{"endless blanks", "line 3, column 1001: the line is longer", &endless{text: generalLine + "5 5 5\n", pad: ' '}, Options{MaxLine: 1000}},
		{"long line that ends", "line 2, column 100: the line is longer", text(generalLine + strings.Repeat(" ", 100) + "\n"), Options{MaxLine: 99}},
		{"endless lines", "the text is longer than 1000000 bytes", &endless{text: generalLine + "5 5 5\n", pad: '\n'}, Options{MaxBytes: 1e6}},
		{"gzip bomb", "times as many: limit of mtx.Options, MaxRatio", bomb(generalLine + "5 5 0\n"), Options{}},
	} {
		_, err := Read(c.r, c.o, func(int, int, float64) error { return nil })
		if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
		if e, ok := c.r.(*endless); ok && e.n > 1<<22 {
			t.Errorf("%s: read %d bytes before it gave up", c.what, e.n)
		}
	}
	if _, err := Read(bomb(generalLine+"5 5 0\n"), Options{MaxRatio: 2000}, nil); err != nil {
		t.Errorf("a ratio that is allowed: %v", err)
	}
	for _, end := range []string{"\n", "\r\n", ""} {
		if _, err := Read(text(generalLine+strings.Repeat(" ", 94)+"1 1 0"+end), Options{MaxLine: 99}, nil); err != nil {
			t.Errorf("a line of just MaxLine bytes, ended by %q: %v", end, err)
		}
	}
	long := generalLine + "%" + strings.Repeat("c", 300_000) + "\n1 1 0\n"
	if h, err := Read(text(long), Options{}, nil); err != nil || len(h.Comments) != 1 || len(h.Comments[0]) != 300_000 {
		t.Errorf("a long comment: %v", err)
	}
}

// TestNegativeLimits: what is left of a budget that was overspent is no default.
func TestNegativeLimits(t *testing.T) {
	var npz, smtx, array bytes.Buffer
	if err := errors.Join(WriteNPZ(&npz, 1, 1, []int32{0, 1}, []int32{0}, []float32{1}), WriteSMTX(&smtx, SMTX{RowPtr: []int{0}}),
		WriteNPY(&array, NPY[float32]{Shape: []int{1}, Data: []float32{1}}, NPYLayout{})); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"MaxDim": {MaxDim: -1}, "MaxEntries": {MaxEntries: -1}, "MaxLine": {MaxLine: -1}, "MaxBytes": {MaxBytes: -1}, "MaxRatio": {MaxRatio: -1}} {
		for what, read := range map[string]func() error{
			"Matrix Market": func() error { _, err := NewReader(strings.NewReader(generalLine+"1 1 0\n"), o); return err },
			"NPZ":           func() error { _, err := NewNPZ(bytes.NewReader(npz.Bytes()), int64(npz.Len()), o); return err },
			"NPZ, opened":   func() error { _, err := Open(bytes.NewReader(npz.Bytes()), o); return err },
			"HB": func() error {
				_, err := NewHB(strings.NewReader(hbFile("RUA", 0, 0, words("1"), nil, nil)), o)
				return err
			},
			"SMTX":    func() error { _, err := ReadSMTX(bytes.NewReader(smtx.Bytes()), o); return err },
			"NPY":     func() error { _, err := ReadNPY[float32](bytes.NewReader(array.Bytes()), o); return err },
			"raw NPY": func() error { _, err := ReadRawNPY(bytes.NewReader(array.Bytes()), o); return err },
		} {
			var e *Error
			if err := read(); !errors.As(err, &e) || !strings.Contains(err.Error(), "Options."+name+" is -1; want 1 or more, or 0 for the default") {
				t.Errorf("%s of -1, %s: %v", name, what, err)
			}
		}
	}
}

// TestMemory: sizes that a file promises cost nothing.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, size := range []string{"2000000000 2000000000 0", "1000000000 1000000000 2000000000"} {
		_, err := Read(strings.NewReader(generalLine+size+"\n"), Options{MaxDim: 2e9}, nil)
		t.Log(err)
	}
	_, err := ReadSMTX(strings.NewReader("100000000, 100000000, 2000000000\n0 1"), Options{})
	t.Log(err)
	_, err = ReadNPY[float64](strings.NewReader(npyStart("f8", []int{1e8}, false, NPYLayout{})), Options{})
	t.Log(err)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated for a few lines", n)
	}
}

func TestBrokenReader(t *testing.T) {
	broken := errors.New("broken")
	good := generalLine + "2 2 2\n1 1 1\n2 2 2\n"
	zip := packed(good)
	bad := bytes.Clone(zip)
	bad[len(bad)-6] ^= 1 // the checksum, seen after the last entry
	for _, c := range []struct {
		what string
		r    io.Reader
		is   error
		want string
	}{
		{"error at once", iotest.ErrReader(broken), broken, "line 1, column 1: the text cannot be read on: broken"},
		{"error within a line", io.MultiReader(strings.NewReader(good[:60]), iotest.ErrReader(broken)), broken, "line 4, column 3: "},
		{"error after the entries", io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken)), broken, "line 5, column 1: "},
		{"nothing for ever", nothing{}, io.ErrNoProgress, "line 1, column 1: "},
		{"gzip cut", bytes.NewReader(zip[:len(zip)-9]), io.ErrUnexpectedEOF, "unexpected EOF"},
		{"gzip of nothing", bytes.NewReader(zip[:2]), io.ErrUnexpectedEOF, "begins as gzip does"},
		{"checksum", bytes.NewReader(bad), gzip.ErrChecksum, "line 5, column 1: "},
		{"rubbish after gzip", bytes.NewReader(append(bytes.Clone(zip), "rubbish, rubbish"...)), gzip.ErrHeader, "line 5, column 1: "},
	} {
		_, err := Read(c.r, Options{}, func(int, int, float64) error { return nil })
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %v, %s", c.what, err, c.is, c.want)
		}
	}
	// Every cut of a packed file is noticed.
	for n := range zip {
		if _, err := Read(bytes.NewReader(zip[:n]), Options{}, func(int, int, float64) error { return nil }); err == nil {
			t.Errorf("%d of %d bytes of gzip are no error", n, len(zip))
		}
	}
}

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }

// TestLineCutting compares lines of all lengths around the buffer's with strings.Lines.
func TestLineCutting(t *testing.T) {
	var b strings.Builder
	for k := range 70 {
		b.WriteString(strings.Repeat("x", k*k*37%70_000))
		b.WriteString([]string{"\n", "\r\n"}[k%2])
	}
	text := b.String()
	l, err := newLines(iotest.HalfReader(strings.NewReader(text)), Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(text) {
		got, err := l.next()
		if want = strings.TrimRight(want, "\r\n"); err != nil || string(got) != want {
			t.Fatalf("line %d has %d bytes, %v, want %d", l.n, len(got), err, len(want))
		}
	}
	for range 2 {
		if _, err := l.next(); err != io.EOF { //nolint:errorlint // as documented
			t.Fatalf("after the last line: %v", err)
		}
	}
}
