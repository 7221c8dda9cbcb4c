package coretest_test

import (
	"testing"

	"github.com/tuttinode/tutti/test/coretest"
)

func TestFakeKeepsTheContract(t *testing.T) {
	t.Parallel()
	coretest.EngineContract(t, func(testing.TB) coretest.Engine { return &coretest.Fake{} }, coretest.FakeClips())
}
