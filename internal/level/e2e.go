package level

import (
	"os"
	"testing"
)

// E2EVariable is the environment variable that module e2e sets for the tests that call [E2E].
const E2EVariable = "TILESMITH_E2E"

// E2E skips a test that runs the go command, but needs what its package does not export, unless module e2e runs it.
// That module finds these tests by this call, or one of [RunsGo], in the test function itself.
func E2E(t testing.TB) {
	t.Helper()
	if !RunsGo() {
		t.Skip("runs the go command, as cd e2e && go test ./... does")
	}
}

// RunsGo reports whether module e2e runs this test: for one of which a part runs the go command.
func RunsGo() bool { return os.Getenv(E2EVariable) != "" }
