package sweepcmd

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/verify/sweep"
)

var verdictLine = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): Test(\S+) \(([0-9.]+)s\)`)

// readTests reads what go test -v prints. It returns a verdict for each top-level test,
// with what it and its subtests logged as failures if it failed, or as the reason if it
// was skipped.
func readTests(r io.Reader) ([]sweep.Verdict, error) {
	var all []sweep.Verdict
	var said []string
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		text := strings.TrimRight(line, "\n")
		switch m := verdictLine.FindStringSubmatch(text); {
		case m != nil:
			sec, _ := strconv.ParseFloat(m[3], 64)
			v := sweep.Verdict{Kernel: m[2], Seconds: sec}
			switch m[1] {
			case "FAIL":
				if v.Failures = said; said == nil {
					v.Failures = []string{"the test failed and did not say why"}
				}
			case "SKIP":
				v.Skipped = strings.Join(said, "; ")
			}
			all, said = append(all, v), nil
		case strings.HasPrefix(text, "panic: "), strings.HasPrefix(text, "fatal error: "):
			all = append(all, sweep.Verdict{Kernel: "?", Failures: []string{text}})
		case strings.HasPrefix(strings.TrimSpace(text), "=== "), strings.HasPrefix(strings.TrimSpace(text), "--- "), strings.TrimSpace(text) == "":
		default:
			said = append(said, strings.TrimSpace(text))
		}
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}
