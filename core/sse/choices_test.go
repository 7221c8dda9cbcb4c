package sse_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/sse"
)

// Many empty choices would become much larger than their text.
func TestManyChoicesCostBoundedMemory(t *testing.T) {
	const size = 6 << 20
	for _, name := range []string{"choices", "Choices"} { // JSON readers take both for the same
		text := "data: {\"" + name + "\":[{\"delta\":{\"content\":\"x\"}}" + strings.Repeat(",{}", size/3) + "]}\n\n"
		var f sse.Network
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := f.Feed(nil, []byte(text))
		runtime.ReadMemStats(&after)
		if !strings.Contains(string(out), `"content":"x"`) {
			t.Errorf("%s: %q", name, out)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 6*size {
			t.Errorf("%s: %d MiB for an event of %d", name, used>>20, len(text)>>20)
		}
	}
}
