package level

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPickAll: ten turns try every case, and each of them the sample of a normal run.
func TestPickAll(t *testing.T) {
	t.Setenv("TILESMITH_LONG", "1")
	for _, n := range []int{0, 1, 7, 10, 103} {
		tried := make(map[int]bool)
		for turn := range Turns {
			t.Setenv("TILESMITH_TURN", strconv.Itoa(40+turn))
			got := Pick(n, 1, 5)
			if !slices.IsSorted(got) {
				t.Errorf("Pick(%d) = %v, want increasing numbers", n, got)
			}
			for _, i := range spaced(n, 5) {
				if !slices.Contains(got, i) {
					t.Errorf("turn %d of %d cases does not try %d, which a normal run tries", turn, n, i)
				}
			}
			for _, i := range got {
				tried[i] = true
			}
		}
		if len(tried) != n {
			t.Errorf("ten turns try %d of %d cases", len(tried), n)
		}
	}
}

func TestSpaced(t *testing.T) {
	for _, test := range []struct {
		n, want int
		picks   []int
	}{
		{0, 3, nil}, {2, 3, []int{0, 1}}, {10, 3, []int{0, 3, 6}}, {4, 4, []int{0, 1, 2, 3}},
	} {
		if diff := cmp.Diff(test.picks, spaced(test.n, test.want)); diff != "" {
			t.Errorf("spaced(%d, %d): (-want +got)\n%s", test.n, test.want, diff)
		}
	}
}

func TestLong(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv("TILESMITH_LONG", value)
		if Long() != want {
			t.Errorf("TILESMITH_LONG=%q: Long() = %t, want %t", value, Long(), want)
		}
	}
}

func TestPCG(t *testing.T) {
	t.Setenv("TILESMITH_SEED", "")
	if a, b := PCG(1, 2).Uint64(), PCG(1, 2).Uint64(); a != b {
		t.Errorf("two sources of one seed: %d and %d", a, b)
	}
	a := PCG(1, 2).Uint64()
	t.Setenv("TILESMITH_SEED", "7")
	if b := PCG(1, 2).Uint64(); a == b {
		t.Error("TILESMITH_SEED=7 changes nothing")
	}
}

// TestNoNumber: a turn or a seed that is no number ends a test binary with one sentence.
func TestNoNumber(t *testing.T) {
	const child = "TILESMITH_LEVEL_CHILD"
	if os.Getenv(child) != "" {
		Turn()
		Seed()
		return
	}
	for _, setting := range []string{"TILESMITH_TURN=-1", "TILESMITH_TURN=abc", "TILESMITH_TURN=99999999999999999999", "TILESMITH_SEED=1.5"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoNumber$")
		cmd.Env = append(os.Environ(), child+"=1", setting)
		out, err := cmd.CombinedOutput()
		name, value, _ := strings.Cut(setting, "=")
		if want := name + " is " + strconv.Quote(value) + ", want a number such as 7\n"; err == nil || string(out) != want {
			t.Errorf("%s: %v, and it prints %q, want %q", setting, err, out, want)
		}
	}
}
