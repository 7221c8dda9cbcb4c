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
// run NVIDIA's setuid tool to load it. In a media worker's sandbox that tool gets no root
// rights, so the node runs it before.
type UVM struct {
	host host
	log  *slog.Logger
	run  func(ctx context.Context, tool string, args ...string) error
}

// uvmTimeout is how long the tool may take.
const uvmTimeout = 10 * time.Second

const opUVM = "load nvidia-uvm"

// NewUVM returns the UVM of this machine.
func NewUVM(log *slog.Logger) *UVM { return &UVM{host: host{"/"}, log: log, run: runTool} }

// Load loads the module if the driver is present and the module is missing. It returns no
// error: whether the module is needed shows when a media worker starts.
func (u *UVM) Load(ctx context.Context) {
	if !u.missing() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, uvmTimeout)
	defer cancel()
	err := u.run(ctx, "nvidia-modprobe", "-u", "-c=0")
	u.log.Info("the driver's module nvidia-uvm was not loaded", "loaded", !u.missing(), "err", err)
}

// Explain replaces a media worker's failure to start by the fault GPUDriverNotLoaded if the
// module is still missing.
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

// runTool runs a tool until it ends or ctx does. A setuid tool cannot be killed and may hang
// in the kernel, so a goroutine of its own waits for its end.
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
