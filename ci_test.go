package tilesmith

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnknownStage: .ci/run refuses a stage that is not there before it runs those that are.
func TestUnknownStage(t *testing.T) {
	bash := tool(t, "bash")
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(bash, ".ci/run", "build", "nosuch")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 || stdout.Len() > 0 {
		t.Errorf("%v and output %q, want exit status 2 and none", err, &stdout)
	}
	for _, want := range append(scriptStages(readFile(t, ".ci/run")), "there is no stage nosuch", "usage: bash .ci/run") {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("it says %q, want %q in it", &stderr, want)
		}
	}
}

// TestFailures: a stage that fails names the tests that did, what they printed last, panics and timeouts.
func TestFailures(t *testing.T) {
	awk := tool(t, "awk")
	for _, c := range []struct{ what, log, want string }{
		{"nothing", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s\n", ""},
		{"two tests that take turns", `=== RUN   TestA
=== PAUSE TestA
=== RUN   TestB
=== PAUSE TestB
=== CONT  TestA
    a_test.go:1: one
=== CONT  TestB
    a_test.go:9: fine
=== NAME  TestA
    a_test.go:2: two
=== RUN   TestA/sub
    a_test.go:3: three
--- FAIL: TestA (0.10s)
    --- FAIL: TestA/sub (0.00s)
--- PASS: TestB (0.00s)
FAIL
FAIL	x/a	0.2s
=== RUN   TestA
--- PASS: TestA (0.00s)
PASS
ok  	x/b	0.1s
FAIL
`, `failed: x/a 0.2s
  TestA
        a_test.go:1: one
        a_test.go:2: two
  TestA/sub
        a_test.go:3: three
`},
		{"without -v", "--- FAIL: TestA (0.00s)\n    a_test.go:1: one\nFAIL\nFAIL\tx/a\t0.2s\nFAIL\n", "failed: x/a 0.2s\n  TestA\n        a_test.go:1: one\n"},
		{"a timeout", `=== RUN   TestA
panic: test timed out after 1s
	running tests:
		TestA (1s)

goroutine 7 [running]:
FAIL	x/a	1.0s
FAIL
`, `failed: x/a 1.0s
  the last to say something: TestA
    panic: test timed out after 1s
    	running tests:
    		TestA (1s)
    
    goroutine 7 [running]:
`},
		{"a build", "FAIL\tx/a [build failed]\nFAIL\n", "failed: x/a [build failed]\n"},
		{"a program that was killed", "=== RUN   TestA\nfatal error: out of memory\n",
			"failed: (no package said that it ended)\n  the last to say something: TestA\n    fatal error: out of memory\n"},
		{"a test of stage long that was renamed", "ok  \tx/a\t0.1s\ndid not run: TestC of a; did its name change?\n", "did not run: TestC of a; did its name change?\n"},
		{"many lines", "=== RUN   TestA\n" + strings.Repeat("    early\n", 30) + strings.Repeat("    late\n", 15) + "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/a\t0.2s\n",
			"failed: x/a 0.2s\n  TestA\n" + strings.Repeat("        late\n", 15)},
	} {
		cmd := exec.Command(awk, "-f", ".ci/failures.awk")
		cmd.Stdin = strings.NewReader(c.log)
		got, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if d := cmp.Diff(c.want, string(got)); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.what, d)
		}
	}
}

// tool returns the path of a program, without which the test is skipped.
func tool(t *testing.T, name string) string {
	file, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return file
}

// TestWrongNumbers: .ci/run refuses a turn, a seed or a limit that is no number, or too large, before any stage.
func TestWrongNumbers(t *testing.T) {
	bash := tool(t, "bash")
	for setting, want := range map[string]string{
		"TILESMITH_TURN=x": "the turn is 'x', want a number", "TILESMITH_TURN=-1": "the turn is '-1'", "TILESMITH_TURN=99999999999999999999": "the turn is '99999999999999999999'",
		"TILESMITH_SEED=x": "TILESMITH_SEED is 'x', want a number", "TILESMITH_SEED=99999999999999999999": "TILESMITH_SEED is '99999999999999999999'",
		"TILESMITH_CI_SECONDS=abc": "TILESMITH_CI_SECONDS is 'abc', want a number", "TILESMITH_CI_SECONDS=-5": "TILESMITH_CI_SECONDS is '-5'",
	} {
		cmd := exec.Command(bash, ".ci/run", "types")
		cmd.Env = append(cmd.Environ(), setting)
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), want) || strings.Contains(string(out), "== types") {
			t.Errorf("%s: %v, and it prints %q, want %q in it and no stage", setting, err, out, want)
		}
	}
}
