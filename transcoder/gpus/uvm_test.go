package gpus

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

func TestTheModuleForMemoryIsLoaded(t *testing.T) {
	t.Parallel()
	failure := fault.New(fault.WorkerStartFailed, "start media worker", "CUDA error 999")
	driver := map[string]string{"dev/nvidiactl": ""}
	inside := map[string]string{"dev/nvidiactl": "", ".dockerenv": ""}
	for _, row := range []struct {
		name  string
		files map[string]string
		does  error // what the tool answers; nil loads the module
		runs  int
		code  fault.Code
		says  string
	}{
		{"there", map[string]string{"dev/nvidiactl": "", "dev/nvidia-uvm": ""}, nil, 0, fault.WorkerStartFailed,
			"CUDA error 999"},
		{"no driver", nil, nil, 0, fault.WorkerStartFailed, "CUDA error 999"},
		{"missing", driver, nil, 1, fault.WorkerStartFailed, "CUDA error 999"},
		{"missing and no tool", driver, errors.New("not found"), 1, fault.GPUDriverNotLoaded, "`modprobe nvidia-uvm`"},
		{"missing in a container", inside, errors.New("not found"), 1, fault.GPUDriverNotLoaded, "on the host"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := machine(t, nil, row.files)
			runs := 0
			u := &UVM{host: h, log: slog.New(slog.DiscardHandler),
				run: func(ctx context.Context, tool string, args ...string) error {
					runs++
					if text := tool + " " + strings.Join(args, " "); text != "nvidia-modprobe -u -c=0" {
						t.Error(text)
					}
					if _, bounded := ctx.Deadline(); !bounded {
						t.Error("the tool may take forever")
					}
					if row.does != nil {
						return row.does
					}
					return os.WriteFile(filepath.Join(h.root, "dev/nvidia-uvm"), nil, 0o600)
				}}
			u.Load(t.Context())
			if runs != row.runs {
				t.Errorf("ran %d times", runs)
			}
			err := u.Explain(failure)
			if fault.CodeOf(err) != row.code || !errors.Is(err, fault.WorkerStartFailed) ||
				!strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v", err)
			}
			if u.Explain(nil) != nil {
				t.Error("no failure is explained")
			}
		})
	}
}

func TestToolsAreBounded(t *testing.T) {
	t.Parallel()
	if err := runTool(t.Context(), "true"); err != nil {
		t.Error(err)
	}
	if err := runTool(t.Context(), "false"); err == nil {
		t.Error("a tool that fails is not reported")
	}
	if err := runTool(t.Context(), "no-tool-of-this-name"); err == nil {
		t.Error("a tool that is not there is not reported")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := runTool(ctx, "sleep", "60"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a tool that hangs: %v", err)
	}
}
