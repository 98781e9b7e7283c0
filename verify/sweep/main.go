package sweep

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// EnvConfig is how a program around a user's kernels is told what to do: a [Config] as
// JSON.
const EnvConfig = "TILESMITH_SWEEP_CONFIG"

// Main is the program that `tilesmith verify` and `tilesmith sweep` build around a
// user's kernels. It does what the configuration in the environment says and writes
// records as [JSON] does. find loads peers by name; it is nil in a program without. It
// returns the exit code: 0, or 2 if the configuration is wrong.
func Main(find func(names []string) ([]Peer, error), kernels ...Kernel) int {
	code, err := configured(os.Getenv(EnvConfig), find, kernels, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tilesmith:", err)
	}
	return code
}

func configured(config string, find func([]string) ([]Peer, error), kernels []Kernel, out io.Writer) (code int, err error) {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return 2, fmt.Errorf("%s is not set as tilesmith verify sets it: %w", EnvConfig, err)
	}
	for i := range kernels {
		kernels[i].Package = c.Package
	}
	s, err := c.Session(kernels)
	if err != nil {
		return 2, err
	}
	if len(c.Peers) > 0 && find != nil {
		if s.Peers, err = find(c.Peers); err != nil {
			return 2, err
		}
	}
	to := JSON{out}
	// It does not print to a terminal from here: the command prints results there, too.
	s.Progress = func(done, total int, what string) { to.write(progressRecord{"progress", done, total, what}) }
	if err := c.Run(s, to); err != nil {
		return 1, err
	}
	return 0, nil
}
