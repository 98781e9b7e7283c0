package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

func versionCommand() *cobra.Command {
	return cli.NewCommand("version", "print the versions of the module and of Go, and what this machine has", cli.Exactly(0, "version takes no arguments"),
		func(c *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprint(c.OutOrStdout(), versionText(info))
			return err
		})
}

// versionText says what was built, with what, and for which of this machine's instruction
// sets there are kernels. info is nil in a program without.
func versionText(info *debug.BuildInfo) string {
	revision := ""
	if info != nil {
		setting := map[string]string{}
		for _, s := range info.Settings {
			setting[s.Key] = s.Value
		}
		if r := setting["vcs.revision"]; r != "" {
			revision = fmt.Sprintf("revision  %s of %s", r, setting["vcs.time"])
			if setting["vcs.modified"] == "true" {
				revision += ", with changes"
			}
			revision += "\n"
		}
	}
	return fmt.Sprintf("tilesmith %s\n%sgo        %s %s/%s\nISAs      %s\n", cli.VersionOf(info), revision,
		strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH, strings.Join(run.ISAs(), ", "))
}
