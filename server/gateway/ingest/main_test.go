package ingest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The library's client, which tests alone use, leaves two when it is refused: one reads, one waits for the time
	// in which it should have connected.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/datarhei/gosrt.Dial.func1"),
		goleak.IgnoreTopFunction("github.com/datarhei/gosrt.Dial.func3"))
}
