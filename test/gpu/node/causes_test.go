package node

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// TestWhyACardIsNotUsed: each of the driver's problems is reported under the code that has
// its remedy, with what the driver said.
func TestWhyACardIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		remove string
		script string
		code   string
		says   string
	}{
		"no libcuda":         {remove: "libcuda.so.1", code: "CUDALibrary", says: "libcuda"},
		"no libnvcuvid":      {remove: "libnvcuvid.so.1", code: "CUDALibrary", says: "nvcuvid"},
		"no encoder library": {remove: "libnvidia-encode.so.1", code: "GPUEncoderMissing", says: ""},
		"out of memory":      {script: "device.fail=2", code: "GPUOutOfMemory", says: "memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fakegpu.Build(t)
			if row.remove != "" {
				d.Remove(t, row.remove)
			}
			if row.script != "" {
				d.Script(row.script)
			}
			n := start(t, d.Env(), "-gpu", "all")
			c := n.condition(row.code)
			if c.About != "gpu 0" || !strings.Contains(c.Detail, row.says) || c.Remedy == "" ||
				strings.Contains(c.Detail, "\n") {
				t.Errorf("%+v", c)
			}
		})
	}
}
