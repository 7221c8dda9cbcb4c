package fakegpu

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"
)

// loaded is the state of this process's own driver: libraries cannot be loaded twice under one
// name, and the locks on the state file belong to the process.
var loaded struct {
	sync.Mutex
	state *state
}

// Load makes a driver part of this process, where libav then finds it by name. There
// is one for all tests of a process, with one ordinary GPU; its script is emptied
// when t ends. Counters go on counting, so compare before and after.
func Load(t testing.TB) *Driver {
	t.Helper()
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.state == nil {
		loaded.state = load(t)
	}
	d := &Driver{directory: t.TempDir(), state: loaded.state}
	d.link(t, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), d.state.file.Fd()))
	d.Script()
	t.Cleanup(func() { d.Script() })
	return d
}

// link makes the driver's directory once more, for children of this process: the
// state file is the one that the process has mapped.
func (d *Driver) link(t testing.TB, state string) {
	t.Helper()
	d.addLibraries(t, compiled(t))
	if err := os.Symlink(state, filepath.Join(d.directory, "state")); err != nil {
		t.Fatal(err)
	}
}

// load opens the libraries and takes their directory away: what is loaded stays.
func load(t testing.TB) *state {
	t.Helper()
	directory, err := os.MkdirTemp("", "fakegpu-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(directory)
	d := install(t, compiled(t), directory)
	for _, l := range libraries {
		name := C.CString(filepath.Join(directory, l.name))
		handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
		C.free(unsafe.Pointer(name))
		if handle == nil {
			t.Fatalf("load %s: %s", l.name, C.GoString(C.dlerror()))
		}
	}
	return d.state
}
