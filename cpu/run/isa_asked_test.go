package run

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSetISA runs in processes of its own, since what is asked for counts for a process.
func TestSetISA(t *testing.T) {
	if step := os.Getenv("TEST_SET_ISA"); step != "" {
		fmt.Print("said ", setISA(step), ".\n")
		return
	}
	best := ISAs()[0]
	for _, c := range []struct{ step, env, want string }{
		{"ask", "", ` "" TILESMITH_ISA <nil>`},
		{"ask", "go", ` "go" TILESMITH_ISA <nil>`},
		{"ask", "bogus", ` "bogus" TILESMITH_ISA tilesmith: TILESMITH_ISA asks for the instruction set "bogus"`},
		{"set go,use", "", ` <nil> "go" run.SetISA <nil>`},
		{"set go,use", "bogus", ` <nil> "go" run.SetISA <nil>`},
		{"set bogus", "", ` run.SetISA: it asks for the instruction set "bogus"`},
		{"use,set go", "go", ` "go" TILESMITH_ISA <nil> <nil>`},
		{"use,set go", "", ` "" TILESMITH_ISA <nil> run.SetISA: the instruction set "go" comes too late`},
		{"use", "bogus", ` "bogus"  tilesmith: TILESMITH_ISA asks`},
		{"set go,set " + best + ",use", "", ` <nil> <nil> "` + best + `" run.SetISA <nil>`},
	} {
		exe, err := os.Executable()
		if err != nil {
			t.Skip(err)
		}
		cmd := exec.Command(exe, "-test.run", "^TestSetISA$")
		cmd.Env = append(os.Environ(), "TEST_SET_ISA="+c.step, "TILESMITH_ISA="+c.env)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("%v: %s", err, out)
		}
		if have := string(out); !strings.HasPrefix(have, "said"+c.want) {
			t.Errorf("%s with TILESMITH_ISA=%s: %s, want%s", c.step, c.env, have, c.want)
		}
	}
}

func setISA(steps string) string {
	var said []string
	for step := range strings.SplitSeq(steps, ",") {
		what, isa, _ := strings.Cut(step, " ")
		switch what {
		case "set":
			said = append(said, fmt.Sprint(SetISA(isa)))
		case "ask":
			isa, from, err := AskedISA()
			said = append(said, fmt.Sprintf("%q %s %v", isa, from, err))
		case "use":
			isa, from, err := use()
			said = append(said, fmt.Sprintf("%q %s %v", isa, from, err))
		}
	}
	return strings.Join(said, " ")
}

func use() (isa, from string, err error) {
	defer func() {
		if v := recover(); v != nil {
			var e ISAError
			if !errors.As(v.(error), &e) {
				panic(v)
			}
			isa, err = e.ISA, e
		}
	}()
	isa, from = UseISA()
	return isa, from, nil
}
