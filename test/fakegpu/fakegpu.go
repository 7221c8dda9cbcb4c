package fakegpu

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Driver is one machine's driver: a directory of libraries and the state file that
// all processes using them share. It is safe for one test at a time.
type Driver struct {
	directory string
	state     *state
	script    script
	since     string
}

// Build makes a driver of one ordinary GPU. The libraries are compiled once per
// change of their sources; the driver's directory goes with the test.
func Build(t testing.TB) *Driver {
	t.Helper()
	d := install(t, compiled(t), t.TempDir())
	t.Cleanup(d.state.close)
	return d
}

func install(t testing.TB, from, directory string) *Driver {
	t.Helper()
	d := &Driver{directory: directory}
	d.addLibraries(t, from)
	s, err := newState(filepath.Join(directory, "state"))
	if err != nil {
		t.Fatal(err)
	}
	d.state = s
	d.Script()
	return d
}

func (d *Driver) addLibraries(t testing.TB, from string) {
	t.Helper()
	for _, l := range libraries {
		if err := linkFile(filepath.Join(from, l.name), filepath.Join(d.directory, l.name)); err != nil {
			t.Fatal(err)
		}
	}
}

// linkFile links a file, or copies it to another file system.
func linkFile(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return duplicate(from, to)
}

// duplicate copies a file.
func duplicate(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closing := out.Close(); err == nil {
		err = closing
	}
	return err
}

// Env is what a process needs in its environment to find the driver.
func (d *Driver) Env() []string { return []string{"LD_LIBRARY_PATH=" + d.directory} }

// Directory is the directory of the libraries.
func (d *Driver) Directory() string { return d.directory }

// Remove takes one of the libraries away, as on a machine where only a part of the
// driver is installed. Processes that have it open keep it.
func (d *Driver) Remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.directory, name)); err != nil {
		t.Fatal(err)
	}
}
