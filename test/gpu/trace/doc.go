// Package trace records every system call that a program and its threads make: which
// and how often, what was refused, which files were opened, and what was asked of which
// device. The record has a part for each stage of a sandbox, because what a program
// does before it loads a filter of system calls needs no permission by the filter.
//
// It changes nothing of what the program does, other than its speed. The GPU kit starts
// media workers under it; it works on x86-64 Linux where ptrace is permitted.
package trace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// Main is the whole life of a process that traces another. The arguments are the file
// for the record, the program, and the program's arguments with its name. The program
// gets this process's environment and its descriptors 0 to 4. The record is written
// when the program has ended, and when this process gets SIGUSR1.
func Main(args []string) (code int, err error) {
	if len(args) < 3 {
		return 1, errors.New("trace: a file, a program and the program's name are needed")
	}
	// The program may change the root that both have.
	folder, err := os.OpenRoot(filepath.Dir(args[0]))
	if err != nil {
		return 1, err
	}
	defer folder.Close()
	name := filepath.Base(args[0])
	r := newRecorder()
	code, err = run(args[1], args[2:], r, func() error { return write(folder, name, r.trace()) })
	if err != nil {
		r.refused(err)
	}
	return code, errors.Join(err, write(folder, name, r.trace()))
}

// write replaces a file in one step, so that a reader never sees a part of it.
func write(folder *os.Root, name string, t Trace) error {
	b, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	temporary := "." + name + strconv.Itoa(os.Getpid())
	if err := folder.WriteFile(temporary, b, 0o644); err != nil {
		return err
	}
	return folder.Rename(temporary, name)
}

// Read is the record that is in a file now.
func Read(path string) (Trace, error) {
	var t Trace
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	return t, err
}
