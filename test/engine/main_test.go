package engine_test

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/engine"
)

func TestMain(m *testing.M) {
	if os.Getenv(holdVariable) != "" {
		holdEngine()
	}
	os.Exit(engine.Main(m))
}
