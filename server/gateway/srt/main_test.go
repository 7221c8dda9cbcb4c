package srt

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The library's client, which tests alone use, leaves one when it is refused.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/datarhei/gosrt.Dial.func1"))
}
