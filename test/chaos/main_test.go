package chaos

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the node that runs in a process of its own, to be killed.
func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(childEnv); ok {
		os.Exit(runChild(text, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}
