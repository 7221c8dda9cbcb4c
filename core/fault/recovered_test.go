package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

func TestRecovered(t *testing.T) {
	t.Parallel()
	cause := errors.New("out of cheese")
	if err := fault.Recovered(cause); !errors.Is(err, cause) {
		t.Errorf("%v does not wrap the panic's value", err)
	}
	text := fault.Recovered("out of cheese").Error()
	if !strings.HasPrefix(text, "panic: out of cheese\n") || !strings.Contains(text, "recovered_test.go") {
		t.Errorf("%q lacks the value or the stack", text)
	}
}
