package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// TestCardReset: from within a worker nothing can be opened that could reset, remove or
// reconfigure a GPU. Files are opened and closed, and nothing is ever written.
func TestCardReset(t *testing.T) {
	r := openRig(t)
	var files []string
	for _, pattern := range r.controls(t) {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			card.SkipCheck(t, "opening "+pattern, "not on this machine")
			continue
		}
		files = append(files, found...)
	}
	c := startCard(t, "starting a worker", r.options(true))
	missing := withheld(t, c)
	possible := 0
	for _, file := range files {
		outside := openToWrite(file)
		if outside == "done" {
			possible++
		}
		stderr := answer(t, c, "open-to-write "+file)
		what := fmt.Sprintf("inside the worker: opening %s for writing (outside: %s)", file, outside)
		if strings.Contains(missing, restrictFiles) {
			card.RecordCheck(t, what, stderr+"; this system does not provide: "+missing, "")
			continue
		}
		card.CheckThat(t, refused(stderr), what,
			"refused", stderr, "")
	}
	card.RecordCheck(t, "files that this user could write outside the sandbox",
		fmt.Sprintf("%d of %d", possible, len(files)),
		fmt.Sprintf("%d files", possible))
	stderr := answer(t, c, "exec")
	if strings.Contains(missing, restrictCalls) {
		card.RecordCheck(t, "inside the worker: running a program", stderr+"; this system does not provide: "+missing, "")
		return
	}
	card.CheckThat(t, strings.Contains(stderr, "not permitted"), "inside the worker: running a program", "refused",
		stderr, "")
}

// controls are the files through which a GPU, its driver or the machine is changed.
// The simulated GPU has none on the bus: another device's stand for them.
func (r rig) controls(t *testing.T) []string {
	t.Helper()
	device := "/sys/bus/pci/devices/" + address(r.PCI)
	if _, err := os.Stat(device); err != nil && !r.Real() {
		if all, _ := filepath.Glob("/sys/bus/pci/devices/*"); len(all) > 0 {
			device = all[0]
		}
	}
	files := []string{
		"/sys/bus/pci/rescan", "/proc/driver/nvidia/params", "/sys/module/nvidia/parameters/*",
		"/sys/bus/pci/drivers/nvidia/unbind", "/dev/mem", "/dev/kmsg", "/proc/sys/kernel/core_pattern",
	}
	for _, name := range []string{"reset", "remove", "rescan", "driver_override", "enable", "config", "power/control"} {
		files = append(files, device+"/"+name)
	}
	return files
}

// address is a PCI address as the system writes it. NVML gives the domain eight digits.
func address(pci string) string {
	domain, rest, found := strings.Cut(strings.ToLower(pci), ":")
	if found && len(domain) > 4 && strings.Count(rest, ":") == 1 {
		domain = domain[len(domain)-4:]
	}
	return domain + ":" + rest
}
