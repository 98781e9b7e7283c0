package cuda

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadHeader(t *testing.T) {
	for _, c := range []struct {
		text string
		want Header
	}{
		{".version 7.0\n.target sm_80\n", Header{PTXVersion{7, 0}, "sm_80", 8, 0, false}},
		{"// by hand\n/* two\n.version 1.0 */ .version\t8.4 .target sm_90a, texmode_independent\n", Header{PTXVersion{8, 4}, "sm_90a", 9, 0, true}},
		{".version 8.6\r\n.target sm_120f\r\n", Header{PTXVersion{8, 6}, "sm_120f", 12, 0, true}},
		{".version 8.6\n.target sm_100//\n", Header{PTXVersion{8, 6}, "sm_100", 10, 0, false}},
	} {
		got, err := ReadHeader(c.text)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v, want to got:\n%s", c.text, err, diff)
		}
	}
	for text, want := range map[string]string{
		"":                                 `it starts with "", want .version`,
		"//":                               `it starts with ""`,
		"/":                                `it starts with "/"`,
		"/*":                               `it starts with ""`,
		strings.Repeat("a", 1000):          `it starts with "` + strings.Repeat("a", 40) + `...", want`,
		".version":                         `.version "", want two numbers`,
		".version 7 .target sm_80":         `.version "7"`,
		".version 7.x .target sm_80":       `.version "7.x"`,
		".version 7.0":                     `"" after .version 7.0, want .target`,
		".version 7.0 .target":             `.target "", want sm_`,
		".version 7.0 .target compute_80":  `.target "compute_80"`,
		".version 7.0 .target sm_a":        `.target "sm_a"`,
		".version 7.0 .target sm_":         `.target "sm_"`,
		".version 7.0 .target sm_-80":      `.target "sm_-80"`,
		".version 7.0 .target sm_99999999": `.target "sm_99999999"`,
	} {
		if _, err := ReadHeader(text); !errors.Is(err, ErrPTX) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadHeader(f *testing.F) {
	f.Add(".version 7.0\n.target sm_80\n.visible .entry f(.param .u64 a)")
	f.Add("/**/ // \n.version")
	f.Fuzz(func(t *testing.T, text string) {
		ReadHeader(text)
		for _, name := range Kernels(text) {
			if !strings.Contains(text, name) {
				t.Errorf("kernel %q is not in the text", name)
			}
		}
	})
}

func TestCheckDevice(t *testing.T) {
	for _, c := range []struct {
		target       string
		major, minor int
		ok           bool
	}{
		{"sm_80", 8, 0, true}, {"sm_80", 8, 9, true}, {"sm_80", 9, 0, true}, {"sm_80", 12, 1, true},
		{"sm_80", 7, 5, false}, {"sm_89", 8, 6, false}, {"sm_90", 8, 9, false}, {"sm_100", 9, 0, false},
		{"sm_90a", 9, 0, true}, {"sm_90a", 10, 0, false}, {"sm_90a", 8, 0, false},
		{"sm_100f", 10, 0, true}, {"sm_100f", 10, 3, true}, {"sm_103f", 10, 0, false}, {"sm_100f", 12, 0, false},
	} {
		h, err := ReadHeader(".version 9.0 .target " + c.target)
		if err != nil {
			t.Fatal(err)
		}
		err = h.CheckDevice(Info{Name: "a GPU", Major: c.major, Minor: c.minor})
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.target)) {
			t.Errorf("%s on %d.%d: %v", c.target, c.major, c.minor, err)
		}
	}
}

func TestKernels(t *testing.T) {
	text := ".version 7.0\n.target sm_80\n// .entry no()\n.visible .entry one(\n.param .u64 a)\n{ ret; }\n.entry two() { ret; }\n.func three() { ret; }\n.entry\n four\n()"
	if diff := cmp.Diff([]string{"one", "two", "four"}, Kernels(text)); diff != "" {
		t.Errorf("want to got:\n%s", diff)
	}
}

func TestPTXVersion(t *testing.T) {
	for i, v := range []PTXVersion{{7, 0}, {7, 1}, {8, 0}, {8, 10}} {
		for j, w := range []PTXVersion{{7, 0}, {7, 1}, {8, 0}, {8, 10}} {
			if v.Less(w) != (i < j) {
				t.Errorf("%v.Less(%v) is %v", v, w, v.Less(w))
			}
		}
	}
}
