package manager_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/test/engine"
)

func TestMain(m *testing.M) {
	status := engine.Main(m)
	if status == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			status = 1
		}
	}
	os.Exit(status)
}
