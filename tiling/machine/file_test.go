package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// TestFile: what is written is read back, number for number. What files do not say is that of
// the core.
func TestFile(t *testing.T) {
	odd := zen4.clone()
	odd.Clock, odd.Memory().Latency, odd.CPU = 1e9/3, 1.0/7e6, CPU{amd, 25, 17}
	list := []*Machine{odd, Data(), unknown(CPU{}, runtime.GOARCH, has)}
	for _, k := range known {
		m := k.data.clone()
		m.CPU = CPU{k.vendor, k.family, k.models[0][0]}
		list = append(list, m)
	}
	for _, m := range list {
		if _, ok := For(m.CPU); !ok {
			for i := range m.Units {
				u := &m.Units[i]
				u.BF16, u.Pairs, u.Tiles, u.WidenF16, u.WidenBF16 = 0, 0, 0, 0, 0
			}
		}
		got, err := Parse("f", []byte(m.Text()))
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		} else if !reflect.DeepEqual(got, m) {
			t.Errorf("%s: wrote %+v, read %+v", m.Name, m, got)
		}
		if n := len(m.Text()); n > mostBytes/4 {
			t.Errorf("%s: %d bytes are near the most that are read", m.Name, n)
		}
	}
	windows := strings.ReplaceAll(odd.Text(), "\n", "\r\n\n# a remark\r\n")
	if got, err := Parse("f", []byte(windows)); err != nil || !reflect.DeepEqual(got, odd) {
		t.Errorf("with other ends of lines: %+v, %v", got, err)
	}
}

// Memory is short for tests.
func (m *Machine) Memory() *Level { return &m.Caches[Memory] }

// TestRefused: a file that says what cannot be is refused with the line, what it says and
// what would be right.
func TestRefused(t *testing.T) {
	good := zen4.Text()
	line := func(key string) string {
		for line := range strings.Lines(good) {
			if strings.HasPrefix(line, key+": ") {
				return line
			}
		}
		t.Fatalf("no line of %s", key)
		return ""
	}
	with := func(key, value string) string { return strings.Replace(good, line(key), key+": "+value+"\n", 1) }
	for _, c := range []struct{ what, text, at, want string }{
		{"empty", "", "", "the file is empty; it must be one that tilesmith machine wrote"},
		{"no header", "hello\n", "", `the line is "hello"; a file that tilesmith machine wrote begins with "tilesmith machine 1"`},
		{"an older or newer format", strings.Replace(good, "machine 1", "machine 2", 1), "", `the line is "tilesmith machine 2"; a file`},
		{"bytes", "\x7fELF\x02\x01\x01\x00\x00", "", `the line is "\x7fELF\x02\x01\x01\x00\x00"; a file`},
		{"JSON", `{"clock": 1}`, "", `the line is "{\"clock\": 1}"; a file`},
		{"only a header", header + "\n", "", "the file ends without name; it must say all"},
		{"cut short", good[:strings.Index(good, "l1.read")], "l1.ways", "the file ends without l1.read; it must say all"},
		{"one line less", strings.Replace(good, line("l2.read"), "", 1), "go.gather", "the file ends without l2.read; it must say all"},
		{"a unit less", strings.Replace(good, line("avx2.fma"), "", 1), "go.gather", "the file ends without avx2.fma; it must say all"},
		{"cut in the last number", strings.TrimSuffix(good, "\n"), "go.gather", "the line has no end, as if the file had been cut off"},
		{"vectors of another size", with("avx512.vector", "32"), "avx512.vector", "avx512.vector is 32; it must be 64"},
		{"twice", good + line("clock"), "clock", "clock is in line 9 already; it must be there once"},
		{"an unknown name", good + "l9.size: 7\n", "l9.size", `"l9.size" is no name of format 1; the names are those`},
		{"an unknown name of a unit", good + "go.speed: 7\n", "go.speed", `"go.speed" is no name of format 1`},
		{"an unknown instruction set", good + "mmx.fma: 7\n", "mmx.fma", `"mmx.fma" is no name of format 1`},
		{"no colon", good + "fast\n", "fast", `the line is "fast"; it must be name: value`},
		{"below nothing", with("l2.read", "-1e9"), "l2.read", "l2.read is -1e+09; it must be from 1e+08 to 1e+14"},
		{"NaN", with("memory.latency", "NaN"), "memory.latency", "memory.latency is NaN; it must be from 1e-11 to 0.0001"},
		{"infinite", with("stream", "+Inf"), "stream", "stream is +Inf; it must be"},
		{"nothing", with("l1.read", "0"), "l1.read", "l1.read is 0; it must be"},
		{"beyond all machines", with("memory.read", "1e30"), "memory.read", "memory.read is 1e+30; it must be from 1e+08 to 1e+14"},
		{"beyond float64", with("memory.read", "1e999"), "memory.read", `memory.read is "1e999"; it must be a number`},
		{"no number", with("clock", "fast"), "clock", `clock is "fast"; it must be a number`},
		{"no whole number", with("l1.size", "1.5"), "l1.size", `l1.size is "1.5"; it must be a whole number`},
		{"too large for an int", with("l1.size", "99999999999999999999"), "l1.size", `l1.size is "99999999999999999999"; it must be a whole number`},
		{"a huge size", with("l2.size", "2000000000"), "l2.size", "l2.size is 2e+09; it must be from 16384 to 1.07374e+09"},
		{"no ways", with("l3.ways", "0"), "l3.ways", "l3.ways is 0; it must be from 1 to 1024"},
		{"an L2 smaller than L1", with("l2.size", "16384"), "l2.size", "l2.size is 16384, less than the 32768 of l1; it must be more"},
		{"an L3 smaller than L1", strings.Replace(with("l3.size", "65536"), line("l1.size"), "l1.size: 131072\n", 1), "l3.size", "l3.size is 65536, less than the 131072 of l1; it must be more"},
		{"fewer far pages than near ones", with("page.far", "71"), "page.far", "page.far is 71, less than the 72 of page.near"},
		{"more multiply-adds than a core can do", with("avx2.fma", "1e6"), "avx2.fma", "avx2.fma is 1e+06; it must be from 0.01 to 64"},
		{"no cores", with("cores", "0"), "cores", "cores is 0; it must be from 1 to 65536"},
		{"an escape", with("name", "\x1b[31mred"), "name", `name is "\x1b[31mred"; it must be printable text`},
		{"no text", with("source", "\xff"), "source", `source is "\xff"; it must be printable text`},
		{"a long text", with("source", strings.Repeat("é", 601)), "source", "source has 601 characters; it must have at most"},
		{"compiled Go is not there", good[:strings.Index(good, "go.vector")], "", "go is not there; what compiled Go does must be"},
		{"compiled Go is not the last", strings.Replace(good, good[strings.Index(good, "avx2."):strings.Index(good, "go.")], "", 1) + good[strings.Index(good, "avx2."):strings.Index(good, "go.")], "go.vector", "go is not the last of the instruction sets"},
		{"huge", good + strings.Repeat("# long\n", 10000), "", "the file is longer than 65536 bytes"},
		{"one huge line", header + "\nname: " + strings.Repeat("x", 1<<17), "", "the file is longer than 65536 bytes"},
	} {
		n := 1
		for i, line := range strings.Split(c.text, "\n") {
			if c.at != "" && strings.HasPrefix(line, c.at) {
				n = i + 1 // the last of them
			}
		}
		m, err := Parse("f", []byte(c.text))
		if want := fmt.Sprintf("f:%d: %s", n, c.want); err == nil || !strings.HasPrefix(err.Error(), want) || m != nil {
			t.Errorf("%s: %v, %v, want %q", c.what, m, err, want)
		}
	}
}

// all is a machine with all instruction sets of amd64.
func all(isa string) bool {
	i := isaset.ByName(isa)
	return i == nil || i.GOARCH == "amd64"
}

// TestRead: a file is read where it was written, and nowhere else.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "m")
	m := zen4.clone()
	m.CPU = CPU{amd, 25, 17}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(m.Text())
	if got, err := read(file, m.CPU, all); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, here := range []CPU{{amd, 25, 97}, {amd, 26, 17}, {intel, 25, 17}, {}} {
		_, err := read(file, here, all)
		want := file + ":6: the file is of AuthenticAMD family 25 model 17, but this machine has " + here.String() + "; tilesmith machine --out writes one here"
		if err == nil || err.Error() != want {
			t.Errorf("on %v: %v, want %q", here, err, want)
		}
	}
	write(strings.Repeat("x", 10<<20))
	if _, err := read(file, m.CPU, all); err == nil || !strings.Contains(err.Error(), ":1: the file is longer than 65536 bytes") {
		t.Errorf("10 MiB: %v", err)
	}
	if _, err := read(dir, m.CPU, all); err == nil || !strings.Contains(err.Error(), "is not a regular file; name a file that tilesmith machine wrote") {
		t.Errorf("a folder: %v", err)
	}
	text := m.Text()
	write(text[:strings.Index(text, "avx512.vector")] + text[strings.Index(text, "avx2.vector"):])
	if _, err := read(file, m.CPU, all); err == nil || !strings.Contains(err.Error(), "the file says nothing of avx512, which this machine has") {
		t.Errorf("a file without avx512 where that is: %v", err)
	}
	if _, err := read(file, m.CPU, func(isa string) bool { return all(isa) && isa != "avx512" }); err != nil {
		t.Errorf("a file without avx512 where that is not: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzParse: whatever a file says, it is refused in one line with a place, or it is a
// machine that can be written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(zen4.Text()))
	f.Add([]byte(iceLakeServer.Text()))
	f.Add([]byte(strings.Replace(zen4.Text(), "name: ", "name: \x00", 1)))
	f.Add([]byte(header + "\ngo.fma: 0x1p-2\nl1.size: 1_000\n"))
	f.Add([]byte(header + "\r\n: \n::\n#\n"))
	f.Add([]byte("\xff\xfe"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("f", text)
		if err != nil {
			if m != nil || !strings.HasPrefix(err.Error(), "f:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, %q", m, err)
			}
			return
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		again, err := Parse("f", []byte(m.Text()))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v became %+v, %v", m, again, err)
		}
	})
}
