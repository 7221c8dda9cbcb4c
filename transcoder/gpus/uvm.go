package gpus

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// UVM is the driver's kernel module nvidia-uvm. CUDA does not start without it, and
// after a reboot of a machine without a display it may not be loaded. CUDA would
// call NVIDIA's setuid tool for that, which gets no root rights in a media worker's
// sandbox, so the node calls it before.
type UVM struct {
	host host
	log  *slog.Logger
	run  func(ctx context.Context, tool string, args ...string) error
}

// uvmWithin is how long the tool may take.
const uvmWithin = 10 * time.Second

const opUVM = "load nvidia-uvm"

// NewUVM is this machine's.
func NewUVM(log *slog.Logger) *UVM { return &UVM{host: host{"/"}, log: log, run: runTool} }

// Load loads the module where the driver is there without it. That may fail, or the
// tool may not be there: whether it matters shows when a media worker starts.
func (u *UVM) Load(ctx context.Context) {
	if !u.missing() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, uvmWithin)
	defer cancel()
	err := u.run(ctx, "nvidia-modprobe", "-u", "-c=0")
	u.log.Info("the driver's module nvidia-uvm was not loaded", "loaded", !u.missing(), "err", err)
}

// Explain makes of a media worker's failure to start what the operator has to know:
// that the module is still missing, if it is.
func (u *UVM) Explain(err error) error {
	if err == nil || !u.missing() {
		return err
	}
	f := fault.Wrap(fault.GPUDriverNotLoaded, opUVM, err)
	f.Detail = "/dev/nvidia-uvm is missing: run `modprobe nvidia-uvm` and `nvidia-modprobe -u -c=0` as root"
	if u.host.container() {
		f.Detail += " on the host, and start the container again"
	}
	return f
}

func (u *UVM) missing() bool {
	return u.host.exists("dev/nvidiactl") && !u.host.exists("dev/nvidia-uvm")
}

// runTool runs a tool until it ends or ctx does. One that has root's rights cannot be
// killed, and may hang in the kernel: its end is awaited beside the rest.
func runTool(ctx context.Context, tool string, args ...string) error {
	path, err := exec.LookPath(tool)
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: path, Args: append([]string{tool}, args...),
		Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, Dir: "/"}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		if err := cmd.Process.Kill(); err != nil {
			return fmt.Errorf("%w, and cannot be ended: %w", ctx.Err(), err)
		}
		return ctx.Err()
	}
}
