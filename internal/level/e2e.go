package level

import (
	"os"
	"testing"
)

// E2EVariable is the environment variable that module e2e sets for the tests that call [E2E].
const E2EVariable = "TILESMITH_E2E"

// E2E skips a test that runs the go command, but needs what its package does not export, unless module e2e runs it.
// That module finds these tests by this call, which must be a statement of the test function itself.
func E2E(t testing.TB) {
	t.Helper()
	if os.Getenv(E2EVariable) == "" {
		t.Skip("runs the go command, as cd e2e && go test ./... does")
	}
}
