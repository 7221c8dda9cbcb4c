package gpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// machine makes the files of a machine. A GPU is "address class driver", other
// entries are files with their contents.
func machine(t *testing.T, cards []string, files map[string]string) host {
	t.Helper()
	root := t.TempDir()
	put := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range cards {
		f := strings.Fields(c)
		dir := "sys/bus/pci/devices/" + f[0]
		put(dir+"/vendor", f[1]+"\n")
		put(dir+"/class", f[2]+"\n")
		if len(f) > 3 {
			if err := os.Symlink("../../../bus/pci/drivers/"+f[3], filepath.Join(root, dir, "driver")); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, text := range files {
		put(path, text)
	}
	return host{root}
}

const (
	l4      = "0000:3b:00.0 0x10de 0x030200"
	geforce = "0000:5e:00.0 0x10de 0x030000"
	sound   = "0000:5e:00.1 0x10de 0x040300 snd_hda_intel"
	radeon  = "0000:0a:00.0 0x1002 0x030000 amdgpu"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	inside := map[string]string{".dockerenv": ""}
	pod := map[string]string{"proc/1/cgroup": "0::/kubepods.slice/x\n"}
	equipped := map[string]string{"run/.containerenv": "", "dev/nvidiactl": ""}
	driver := map[string]string{"dev/nvidiactl": "",
		"proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.07  Sat Feb 17\nGCC " +
			"version:  gcc version 12.3.0\n"}
	for _, row := range []struct {
		name    string
		pciGPUs []string
		files   map[string]string
		kind    ReportKind
		code    fault.Code
		says    string
	}{
		{"nothing", nil, nil, NoLibrary, fault.NoDevices, "the PCI bus has no NVIDIA GPU"},
		{"another vendor's", []string{radeon, sound}, nil, NoLibrary, fault.NoDevices,
			"the PCI bus has no NVIDIA GPU"},
		{"container on a machine without", []string{radeon}, inside, NoLibrary, fault.NoDevices,
			"this container sees no NVIDIA GPU"},
		{"no driver", []string{l4}, nil, NoLibrary, fault.GPUDriverNotLoaded, "0000:3b:00.0 has no driver"},
		{"nouveau", []string{geforce + " nouveau", sound}, nil, NoLibrary, fault.GPUDriverNotLoaded,
			"0000:5e:00.0 is held by nouveau"},
		{"for a virtual machine", []string{l4 + " vfio-pci", geforce + " vfio-pci"}, nil, NoDriver,
			fault.GPUDriverNotLoaded, "0000:3b:00.0 is held by vfio-pci, 0000:5e:00.0 is held by vfio-pci"},
		{"container without the toolkit", []string{l4 + " nvidia", geforce + " nvidia"}, inside, NoLibrary,
			fault.GPUToolkitMissing, "the machine has 2 NVIDIA GPUs, but this container was given none"},
		{"pod without a GPU", []string{l4 + " nvidia"}, pod, NoLibrary, fault.GPUToolkitMissing,
			"the machine has 1 NVIDIA GPU, but"},
		{"container on a machine without a driver", []string{l4}, inside, NoLibrary, fault.GPUDriverNotLoaded,
			"has no driver"},
		{"container without the library", []string{l4 + " nvidia"}, equipped, NoLibrary, fault.CUDALibrary,
			"NVIDIA_DRIVER_CAPABILITIES lacks utility"},
		{"machine without the library", []string{l4 + " nvidia"}, driver, NoLibrary, fault.CUDALibrary,
			"the driver is loaded, but libnvidia-ml.so.1 is not found"},
		{"machine that hides its bus", nil, driver, NoLibrary, fault.CUDALibrary, "not found"},
		{"library without a driver", []string{l4 + " nvidia"}, nil, NoDriver, fault.GPUDriverNotLoaded, "said"},
		{"updated", []string{l4 + " nvidia"}, driver, Mismatch, fault.GPUDriverMismatch,
			"the kernel runs driver 535.161.07, the libraries are of another version; reboot"},
		{"updated, no files", nil, nil, Mismatch, fault.GPUDriverMismatch, "the libraries are of another version"},
		{"no permission", []string{l4 + " nvidia"}, driver, NoPermission, fault.GPUNoPermission, "said"},
		{"old library", []string{l4 + " nvidia"}, driver, OldLibrary, fault.DriverTooOld,
			"the driver's library is said"},
		{"anything else", []string{l4 + " nvidia"}, driver, Failed, fault.CUDALibrary, "said"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := machine(t, row.pciGPUs, row.files).explain(Problem{Kind: row.kind, Detail: "said"})
			if f.Code != row.code || !strings.Contains(f.Detail, row.says) {
				t.Errorf("%v", f)
			}
		})
	}
}

func TestADriverThatShowsNone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		pciGPUs []string
		files   map[string]string
		code    fault.Code
		says    string
	}{
		{"none there", nil, nil, fault.NoDevices, "the driver shows no GPU"},
		{"hidden", []string{l4 + " nvidia"}, map[string]string{".dockerenv": ""}, fault.GPUToolkitMissing, "given none"},
		{"held by another", []string{l4 + " nouveau"}, nil, fault.GPUDriverNotLoaded, "nouveau"},
		{"broken", []string{l4 + " nvidia"}, nil, fault.NoDevices, "the driver shows none of 1 NVIDIA GPU on the PCI bus"},
	} {
		if f := machine(t, row.pciGPUs, row.files).none(); f.Code != row.code || !strings.Contains(f.Detail, row.says) {
			t.Errorf("%s: %v", row.name, f)
		}
	}
}

func TestKin(t *testing.T) {
	t.Parallel()
	h := machine(t, nil, map[string]string{
		"proc/10/stat": "10 (tutti) S 1 10 10", "proc/20/stat": "20 (a) b) (c) S 10 20", "proc/30/stat": "30 (x) R 20",
		"proc/40/stat": "40 (y) S 50", "proc/50/stat": "50 (y) S 40",
		"proc/60/stat": "nonsense", "proc/70/stat": "70 (z) S 1",
	})
	for pid, want := range map[int]bool{10: true, 20: true, 30: true, 40: false, 60: false, 70: false, 99: false,
		0: false, -1: false} {
		if got := h.descends(pid, 10); got != want {
			t.Errorf("%d: %v", pid, got)
		}
	}
	if me := (host{"/"}); !me.descends(os.Getpid(), os.Getppid()) {
		t.Error("this process is not its parent's child")
	}
}
